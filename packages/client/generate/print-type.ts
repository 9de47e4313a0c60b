/** The part of JSON Schema (2020-12) that the panel's OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A schema as a TypeScript type. `indent` is that of the line the type begins on. Throws for a type it does not know. */
export function printType(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return referenceName(schema.$ref);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return union(alternatives.map((each) => printType(each, indent)));
  if (schema.allOf) return schema.allOf.map((each) => inParentheses(printType(each, indent))).join(' & ');
  if (schema.type === undefined) return schema.properties ? printObject(schema, indent) : 'unknown';
  if (typeof schema.type !== 'string') {
    return union(schema.type.map((type) => printType({ ...schema, type }, indent)));
  }
  if (schema.type === 'array') return `${inParentheses(printType(schema.items ?? {}, indent))}[]`;
  if (schema.type === 'object') return printObject(schema, indent);
  const simple = simpleTypes[schema.type];
  if (simple === undefined) throw new TypeError(`no TypeScript type is known for "${schema.type}"`);
  return simple;
}

/** A comment for people, before what it describes; nothing when there is nothing to say. */
export function printComment(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return '';
  return `${indent}/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n`;
}

/** A property name, quoted where it has to be. */
export function printName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** Whether a value of the schema may be left out by a client: an object that needs none of its fields. */
export function isOptional(schema: Schema): boolean {
  return schema.type === 'object' && (schema.required ?? []).length === 0;
}

function printObject(schema: Schema, indent: string): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return printRecord(schema.additionalProperties, indent);
  const required = new Set(schema.required);
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const mark = required.has(name) ? '' : '?';
    return `${printComment(property.description, inner)}${inner}${printName(name)}${mark}: ${printType(property, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function printRecord(values: boolean | Schema | undefined, indent: string): string {
  if (values === false) return 'Record<string, never>';
  return `Record<string, ${typeof values === 'object' ? printType(values, indent) : 'unknown'}>`;
}

/** `string` beside literals would swallow them: `(string & {})` keeps them for editors. */
function union(types: readonly string[]): string {
  const isOpen = types.includes('string') && types.some((type) => /^'[^']/.test(type));
  return [...new Set(types)].map((type) => (isOpen && type === 'string' ? '(string & {})' : type)).join(' | ');
}

function inParentheses(type: string): string {
  return / [|&] /.test(type.replace(/\{[^]*\}/, '')) ? `(${type})` : type;
}

function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

function referenceName(reference: string): string {
  const name = reference.replace('#/components/schemas/', '');
  if (!/^[A-Za-z]\w*$/.test(name)) throw new TypeError(`no type can be named after ${reference}`);
  return name;
}
