use super::*;
use proptest::prelude::*;

const PETS: &str = r#"openapi: "3.0.3"
info:
  title: Pets
  version: 1.0.0
  description: |
    # About
    All of it.
servers:
  - url: https://pets.example/v1
paths:
  /pets/{id}:
    parameters:
      - name: id
        in: path
        required: true
        schema: {type: string}
    get:
      operationId: showPet
      summary: Info for a pet
      tags: [pets]
      parameters:
        - $ref: '#/components/parameters/limit'
      responses:
        '200':
          description: A pet
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Pet'}
        default:
          $ref: '#/components/responses/Error'
    post:
      deprecated: true
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name]
              properties:
                name: {type: string, description: Its name}
components:
  parameters:
    limit:
      name: limit
      in: query
      description: |
        How many
        to show
      schema: {type: integer, default: 20, maximum: 100}
  responses:
    Error: {description: It failed}
  schemas:
    Pet:
      description: An animal.
      type: object
      required: [id]
      properties:
        id: {type: integer, format: int64}
        kind: {type: string, enum: [cat, dog]}
        friends: {type: array, items: {$ref: '#/components/schemas/Pet'}}
"#;

const CONVERTED: &str = "# Pets 1.0.0

#### About
All of it.

Servers: https://pets.example/v1

<!-- operation GET /pets/{id} -->
## GET /pets/{id}

Info for a pet. Operation `showPet`. Tags: pets.

Parameters:

- `id` (path; required; string)
- `limit` (query; integer; default `20`; maximum `100`): How many to show

Responses:

- `200` (`application/json`; `Pet`): A pet
- `default`: It failed

<!-- operation POST /pets/{id} -->
## POST /pets/{id}

Deprecated.

Parameters:

- `id` (path; required; string)

Request body (`application/json`; required; object)

- `name` (required; string): Its name

<!-- section components/schemas/Pet -->
## Pet

An animal.

- `id` (required; integer (int64))
- `kind` (string; one of `cat`, `dog`)
- `friends` (array of `Pet`)
";

fn converted(text: &str) -> String {
    convert(text.as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn an_api_becomes_a_section_for_each_operation_and_schema() {
    assert_eq!(converted(PETS), CONVERTED);
    let value = yaml::parse(PETS, &Limits::default()).unwrap();
    assert_eq!(converted(&value.to_string()), CONVERTED);
}

#[test]
fn swagger_2_is_read() {
    let text = converted(
        r##"{"swagger": "2.0", "info": {"title": "T", "version": 2}, "host": "a.b", "basePath": "/c", "paths": {"/x": {"put": {
        "parameters": [{"name": "n", "in": "query", "type": "string", "enum": ["a"]}, {"in": "body", "name": "b", "schema": {"$ref": "#/definitions/B"}}],
        "responses": {"200": {"description": "ok", "schema": {"type": "array", "items": {"$ref": "#/definitions/B"}}}}}}},
        "definitions": {"B": {"type": "object", "properties": {"p": {"type": "boolean"}}}}}"##,
    );
    for part in [
        "# T 2\n",
        "Servers: a.b/c\n",
        "## PUT /x\n",
        "- `n` (query; string; one of `a`)\n",
        "- `b` (body; `B`)\n",
        "- `200` (array of `B`): ok\n",
        "<!-- section definitions/B -->\n## B\n\n- `p` (boolean)\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_json_schema_becomes_a_section_for_each_definition() {
    let text = convert_schema(
        br##"{"$schema": "http://json-schema.org/draft-07/schema#", "title": "Settings", "description": "What can be set.",
        "properties": {"level": {"type": ["string", "null"], "default": "info", "description": "How much\nis said"},
        "inner": {"type": "object", "properties": {"a": {"$ref": "#/definitions/A"}}}},
        "definitions": {"A": {"oneOf": [{"type": "string"}, {"$ref": "#/definitions/A"}]}}}"##,
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(
        text,
        "# Settings\n\nWhat can be set.\n\n- `level` (string or null; default `info`): How much is said\n- `inner` (object)\n  - `a` (`A`)\n\n<!-- section definitions/A -->\n## A\n\nType: one of string, `A`\n"
    );
}

#[test]
fn formats_are_found_by_their_keys() {
    let schema = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {}}"#;
    for (path, text, expected) in [
        ("a.yaml", "openapi: 3.1.0\npaths: {}\n", Some(Format::OpenApi)),
        ("a", "# c\nswagger: '2.0'\n", Some(Format::OpenApi)),
        ("a.json", r#"{"info": {"openapi": "2"}, "openapi" : "3.0.0"}"#, Some(Format::OpenApi)),
        ("a.json", r#"{"info": {"openapi": "3.0.0"}}"#, None),
        ("a.json", r#"{"x": "\"openapi\": \"3.0\""}"#, None),
        ("a.yaml", "x:\n  openapi: 3.0.0\n", None),
        ("a.md", "openapi: 3.0.0\n", None),
        ("a.json", schema, Some(Format::JsonSchema)),
        ("a.json", r#"{"$schema": "https://json.schemastore.org/x", "properties": {}}"#, None),
        ("a.json", r#"{"$schema": "http://json-schema.org/x", "a": 1}"#, None),
        ("a.json", "", None),
        ("a.json", "{\"", None),
        ("a.json", "{\"é\\", None),
    ] {
        assert_eq!(detect(path, text.as_bytes()), expected, "{path} {text}");
    }
}

#[test]
fn hostile_yaml_is_refused() {
    let limits = Limits::default();
    let mut bomb = String::from("openapi: 3.0.0\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(convert(bomb.as_bytes(), &limits).unwrap_err().to_string().contains("values"));
    for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)] {
        assert!(convert(format!("openapi: 3.0.0\nx: {deep}").as_bytes(), &limits).is_err());
    }
    let chain: String = (1..200).map(|n| format!("a{n}: &a{n} [*a{}]\n", n - 1)).collect();
    assert!(convert(format!("a0: &a0 x\n{chain}").as_bytes(), &limits).is_ok());
}

#[test]
fn what_is_no_description_is_refused() {
    for text in ["", "- a\n- b\n", "{\"openapi\": ", "a: b: c", "just text"] {
        assert!(convert(text.as_bytes(), &Limits::default()).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>(), cut in 0..PETS.len(), insert in "[-:{}\\[\\]&*!|>'\"#%@`, \n\ta-c<]{0,12}", max_text in 0usize..2000) {
        let limits = Limits { max_text, ..Limits::default() };
        let _ = (convert(&bytes, &limits), convert_schema(&bytes, &limits), detect("a.yaml", &bytes));
        let mut text = PETS.to_owned();
        text.insert_str(cut, &insert);
        if let Ok(text) = convert(text.as_bytes(), &limits) {
            prop_assert!(text.len() <= max_text);
        }
    }
}
