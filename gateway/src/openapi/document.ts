import { assertNever } from '@panel/kit/errors';
import type { ZodObject } from 'zod';
import { type RequestHeader, requestHeaders } from '../declaration/request-headers.js';
import type { RateClass } from '../limits/rules.js';
import {
  type Access,
  type BodyRule,
  isNameParameter,
  isRepeatable,
  type ResponseRule,
  type Route,
  uploadType,
} from '../declaration/route.js';
import {
  headersWith,
  responseHeaders,
  errorCodeSchema,
  commonResponses,
  errorSchema,
  failureWith,
  metaSchema,
  usualReasons,
  type ErrorName,
} from './common-responses.js';
import { exampleOf } from './example.js';
import { type JsonSchema, SchemaCollector } from './json-schema.js';
import { reasonsOf } from './reasons/index.js';
import { failuresOf } from './responses.js';
import { tagOf, tags } from './tags.js';

interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: object;
  readonly servers: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: object;
    readonly headers: object;
    readonly securitySchemes: object;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Machine-readable. */
  readonly 'x-access': Access;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, object>>;
  /** WebSocket messages. */
  readonly 'x-websocket'?: { readonly sends: JsonSchema; readonly receives: JsonSchema };
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Body {
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

const description = `Everything the panel can do, for programs. Responses are \`{"data": …}\`, lists carry \`meta\`, errors are
\`{"error": {"code", "message", "details"}}\`; \`details.reason\` names the case where a status has several, and each operation lists
its own. Sign in at \`POST /api/v1/auth/login\` or create an API key, and send either as
\`Authorization: Bearer\`. The console of a server is a WebSocket at \`GET /api/v1/servers/{id}/ws\`; its messages are the
schemas \`ConsoleRequest\` and \`ConsoleMessage\`.

## Lists

\`page\` counts from 1, \`per_page\` is 1 to 100, \`search\` is a literal part of the name, \`sort\` takes field names separated by
commas with a leading \`-\` for descending. \`meta\` has the totals. Unknown parameters are refused with 422.

## Repeating a request safely

A request that creates something may carry an \`Idempotency-Key\`. A repetition within 24 hours gets the first response again
with the header \`Idempotent-Replayed\`, and nothing is created twice.
`;

const license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };
const contact = { name: 'The operator of this panel' };

/** OpenAPI 3.1. */
export function createDocument(routes: readonly Route[]): OpenApiDocument {
  const collector = new SchemaCollector();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, collector) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Game server panel', version: '1', description, license, contact },
    servers: [{ url: '/' }],
    tags,
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: { ...collector.components, ErrorCode: errorCodeSchema, Error: errorSchema, Meta: metaSchema },
      responses: commonResponses,
      headers: responseHeaders,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token (JWT) or an API key.' },
      },
    },
  };
}

function operationOf(route: Route, collector: SchemaCollector): Operation {
  const requestBody = route.body ? bodyOf(route.body, collector) : undefined;
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    description: `${needsOf(route.access)}${countsAs(route.rate)}`,
    'x-access': route.access,
    tags: [tagOf(route.path)],
    security: route.access.kind === 'public' ? [] : [{ bearer: [] }],
    parameters: parametersOf(route, collector),
    ...(requestBody ? { requestBody } : {}),
    responses: { ...successOf(route, collector), ...failureResponses(route) },
    ...messagesOf(route.response, collector),
  };
}

function messagesOf(response: ResponseRule, collector: SchemaCollector): Pick<Operation, 'x-websocket'> {
  if (response.kind !== 'socket') return {};
  const sends = collector.toJson(response.sends, 'output');
  const receives = collector.toJson(response.receives, 'input');
  return { 'x-websocket': { sends, receives } };
}

/** `GET /api/v1/servers/{id}/files/list` → `get_servers_id_files_list`. */
function operationIdOf({ method, path }: Route): string {
  const words = path.replace('/api/v1/', '').match(/[a-z0-9]+/gi) ?? [];
  return [method.toLowerCase(), ...words].join('_');
}

function needsOf(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'For everybody.';
    case 'account':
      return 'For everybody who is signed in.';
    case 'admin':
      return `Needs the permission \`${[access.permission, ...(access.also ?? [])].join('` and `')}\`.`;
    case 'server':
      return access.permissions.length === 0
        ? 'For everybody with access to the server.'
        : `Needs ${access.permissions.map((name) => `\`${name}\``).join(' or ')}${alsoOf(access.also)} on the server.`;
    default:
      return assertNever(access);
  }
}

function alsoOf(names: readonly string[] = []): string {
  return names.map((name) => ` and \`${name}\``).join('');
}

function countsAs(rate: RateClass): string {
  return rate === 'general' ? '' : ` Counts in the rate class \`${rate}\`.`;
}

function parametersOf(route: Route, collector: SchemaCollector): Parameter[] {
  const inPath = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: isNameParameter(name) ? { type: 'string' } : { type: 'string', format: 'uuid' },
  }));
  const query: JsonSchema = route.query ? collector.toJson(route.query, 'input') : {};
  const properties = Object.entries(query.properties ?? {});
  const required = new Set(query.required);
  const inQuery = properties.map(([name, { description: text, ...schema }]) => ({
    name,
    in: 'query' as const,
    required: required.has(name),
    ...(text === undefined ? {} : { description: text }),
    schema,
  }));
  const inHeaders = [
    ...(isRepeatable(route) ? [idempotencyKey] : []),
    ...route.requestHeaders.map(headerParameter),
    ...(route.isOwnOriginOnly ? [consoleHeader] : []),
  ];
  return [...inPath, ...inQuery, ...inHeaders];
}

function headerParameter(name: RequestHeader): Parameter {
  return { name, in: 'header', required: false, description: requestHeaders[name], schema: { type: 'string' } };
}

const consoleHeader: Parameter = {
  name: 'X-Panel-Console',
  in: 'header',
  required: true,
  description: 'Only pages of the panel itself may use this, with their `Origin` and `Sec-Fetch-Site: same-origin`.',
  schema: { type: 'string', const: '1' },
};

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request with the same key gets the first answer again, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function bodyOf(rule: BodyRule, collector: SchemaCollector): Body {
  if (rule.kind === 'bytes') {
    const content = rule.types.map((type) => [type, { schema: bytesSchema(type) }] as const);
    return { required: true, content: Object.fromEntries(content) };
  }
  if (rule.kind === 'stream') return { required: false, content: { [rule.type]: { schema: {} } } };
  const schema = collector.toJson(rule.schema, 'input');
  const json = { schema, example: exampleOf(schema, collector.components) };
  // All-optional schemas accept an absent body.
  const required = !rule.schema.safeParse({}).success;
  if (rule.kind === 'json') return { required, content: { 'application/json': json } };
  return { required: true, content: { 'application/json': json, [uploadType]: { schema: {} } } };
}

/** JSON and YAML are objects; other bytes have no schema. */
function bytesSchema(type: string): JsonSchema {
  return type.includes('json') || type.includes('yaml') ? { type: 'object' } : {};
}

function successOf(route: Route, collector: SchemaCollector): Record<string, object> {
  if (route.response.kind === 'socket') return { '101': { description: 'A WebSocket.', headers: headersWith() } };
  const content = contentOf(route.response, collector);
  const answer = {
    description: route.status === 201 ? 'Created.' : 'Done.',
    headers: headersWith(...(isRepeatable(route) ? ['Idempotent-Replayed'] : []), ...headersOf(route, 200)),
    ...(content ? { content } : {}),
  };
  const others = route.otherStatuses.map((status) => [`${status}`, otherOf(route, status)]);
  return { [`${route.status}`]: answer, ...waitingOf(route, collector), ...Object.fromEntries(others) };
}

function waitingOf({ waiting }: Route, collector: SchemaCollector): Record<string, object> {
  if (!waiting) return {};
  const content = contentOf({ kind: 'one', schema: waiting }, collector);
  return { '202': { description: 'It waits: `operation` says for what.', headers: headersWith(), content } };
}

/** By status. */
function headersOf({ headers }: Route, status: 200 | 206 | 304): readonly string[] {
  if (status === 304) return headers.filter((name) => name === 'ETag');
  return status === 206 ? headers : headers.filter((name) => name !== 'Content-Range');
}

function otherOf(route: Route, status: 206 | 304): object {
  const headers = headersWith(...headersOf(route, status));
  if (status === 304) return { description: 'Not changed since the version of `If-None-Match`.', headers };
  const content = Object.fromEntries(bytesTypesOf(route.response).map((type) => [type, { schema: {} }]));
  return { description: 'The part that `Range` names.', headers, content };
}

function bytesTypesOf(response: ResponseRule): readonly string[] {
  if (response.kind === 'raw') return response.types;
  return response.kind === 'one' ? (response.rawTypes ?? []) : [];
}

function contentOf(response: ResponseRule, collector: SchemaCollector): object | null {
  if (response.kind === 'empty' || response.kind === 'socket') return null;
  if (response.kind === 'raw')
    return Object.fromEntries(response.types.map((type) => [type, { schema: bytesSchema(type) }]));
  const item = collector.toJson(response.schema, 'output');
  const isList = response.kind === 'list';
  const schema: JsonSchema = {
    type: 'object',
    required: isList ? ['data', 'meta'] : ['data'],
    properties: isList
      ? { data: { type: 'array', items: item }, meta: metaOf(response.extraMeta, collector) }
      : { data: item },
  };
  const example = exampleOf(schema, { ...collector.components, Meta: metaSchema });
  const bytes = bytesTypesOf(response).map((type) => [type, { schema: {} }] as const);
  return { 'application/json': { schema, example }, ...Object.fromEntries(bytes) };
}

function metaOf(extraMeta: ZodObject | undefined, collector: SchemaCollector): JsonSchema {
  const pages: JsonSchema = { $ref: '#/components/schemas/Meta' };
  if (!extraMeta) return pages;
  const { additionalProperties: _, ...said } = collector.toJson(extraMeta, 'output');
  return { allOf: [pages, said] };
}

function failureResponses(route: Route): Record<string, object> {
  const reasons = reasonsOf(route);
  const failures = [...failuresOf(route)].map(([status, name]) => [status, failureOf(name, reasons.get(status) ?? [])]);
  return Object.fromEntries(failures) as Record<string, object>;
}

/** Common failures are components. */
function failureOf(name: ErrorName, reasons: readonly string[]): object {
  const isUsual = reasons.join() === (usualReasons[name] ?? []).join();
  return isUsual ? { $ref: `#/components/responses/${name}` } : failureWith(name, reasons);
}
