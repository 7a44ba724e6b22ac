import React from 'react';
export const View = ({ html }: Props) => <div dangerouslySetInnerHTML={{ __html: html }} className="eval" />;
