-- What made the text of a document out of its source, with its version: `pdf/1`. Null: it was taken in before that was noted.
ALTER TABLE reference_documents ADD COLUMN converter TEXT;
