import { isOptional, printComment, printType, type Schema } from './print-type.js';

/** What the generator reads of an OpenAPI 3.1 document. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface ApiOperation {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: ApiContent };
  readonly responses: Readonly<Record<string, object>>;
}

type ApiContent = Readonly<Record<string, { readonly schema: Schema }>>;

const prefix = '/api/v1';

const head = [
  '/* oxlint-disable */',
  "// Made from the gateway's route table by `npm run gen:client`: change the routes, not this file.",
  '',
].join('\n');

/**
 * The types of an API as the text of a TypeScript module: one interface or type for every named schema, and
 * `Endpoints`, from "METHOD /path" to what the endpoint takes and answers. Paths outside /api/v1 are left out: they are
 * no part of the API. The same document gives the same text.
 */
export function printApi(document: ApiDocument): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => printSchema(name, schema));
  const endpoints = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(`${prefix}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path.slice(prefix.length)}`;
        return `${printComment(operation.summary, '  ')}  '${name}': ${printEndpoint(operation)};\n`;
      }),
    );
  const table = `/** Every endpoint, with what it takes and answers. */\nexport interface Endpoints {\n${endpoints.join('')}}\n`;
  return [head, ...schemas, table].join('\n');
}

function printSchema(name: string, schema: Schema): string {
  const type = printType(schema);
  const comment = printComment(schema.description, '');
  return type.startsWith('{') && type.indexOf('\n}') === type.length - 2
    ? `${comment}export interface ${name} ${type}\n`
    : `${comment}export type ${name} = ${type};\n`;
}

function printEndpoint(operation: ApiOperation): string {
  const parts = [...requestParts(operation), ...responseParts(operation)];
  return `{\n${parts.map((part) => `    ${part};\n`).join('')}  }`;
}

/** `query`, `body`, `bytes` (content types of a body that is sent as it is), `creates` (takes an Idempotency-Key). */
function requestParts({ parameters, requestBody }: ApiOperation): string[] {
  const query: Schema = {
    type: 'object',
    properties: Object.fromEntries(
      parameters
        .filter((each) => each.in === 'query')
        .map(({ name, description, schema }) => [name, { ...schema, description }]),
    ),
    required: parameters.filter((each) => each.in === 'query' && each.required).map(({ name }) => name),
  };
  const { 'application/json': json, ...others } = requestBody?.content ?? {};
  // A JSON body of which nothing is said is a file: it goes as the bytes it is.
  const isFile = json !== undefined && isAnything(json.schema);
  const bytes = Object.keys(isFile ? (requestBody?.content ?? {}) : others);
  const hasFields = json !== undefined && !isFile && printType(json.schema) !== 'Record<string, never>';
  return [
    ...(Object.keys(query.properties ?? {}).length > 0 ? [field('query', query)] : []),
    ...(hasFields ? [field('body', json.schema)] : []),
    ...(bytes.length > 0 ? [`bytes: ${printType({ enum: bytes })}`] : []),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['creates: true'] : []),
  ];
}

function isAnything({ $ref, anyOf, properties, additionalProperties }: Schema): boolean {
  return [$ref, anyOf, properties, additionalProperties].every((said) => said === undefined);
}

function field(name: string, schema: Schema): string {
  return `${name}${isOptional(schema) ? '?' : ''}: ${printType(schema, '    ')}`;
}

/**
 * `one` or `list` (what `data` holds, or each of its items), `notes` (what `meta` says beyond pages), `raw` (content types of an answer in bytes), `empty`,
 * `socket` (it becomes a WebSocket).
 */
function responseParts({ responses }: ApiOperation): string[] {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
  if ('101' in responses) return ['socket: true'];
  if (!success) throw new Error('an operation declares no success');
  const { content = {} } = success[1] as { readonly content?: ApiContent };
  const enveloped = Object.values(content).find(({ schema }) => schema.properties?.['data'] !== undefined);
  const raw = Object.keys(content).filter((type) => content[type] !== enveloped);
  const data = enveloped?.schema.properties?.['data'];
  const meta = enveloped?.schema.properties?.['meta'];
  const isList = meta !== undefined;
  // 202 while something is waited for, else an empty 204
  const orNothing = data && '204' in responses ? ' | undefined' : '';
  const notes = meta?.allOf?.find(({ $ref }) => $ref === undefined);
  return [
    ...(data
      ? [`${isList ? 'list' : 'one'}: ${printType(isList ? (data.items ?? {}) : data, '    ')}${orNothing}`]
      : []),
    ...(notes ? [`notes: ${printType(notes, '    ')}`] : []),
    ...(raw.length > 0 ? [`raw: ${printType({ enum: raw })}`] : []),
    ...(data || raw.length > 0 ? [] : ['empty: true']),
  ];
}
