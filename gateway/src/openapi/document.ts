import { assertNever } from '@panel/kit';
import type { ZodObject } from 'zod';
import type { RateClass } from '../limits/rules.js';
import { type Access, type BodyRule, type ResponseRule, type Route, uploadType } from '../declaration/route.js';
import {
  responseHeaders,
  errorCodeSchema,
  errorResponses,
  errorSchema,
  metaSchema,
  type ErrorName,
} from './common-responses.js';
import { exampleOf } from './example.js';
import { type JsonSchema, SchemaCollector } from './json-schema.js';
import { tagOf, tags } from './tags.js';

export interface OpenApiDocument {
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
  /** Who may use it, for programs: tests walk the table by it. */
  readonly 'x-access': Access;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, object>>;
  /** Of a WebSocket: the messages the panel sends, and those it receives. */
  readonly 'x-websocket'?: { readonly sends: JsonSchema; readonly receives: JsonSchema };
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface Body {
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

const description = `Everything the panel can do, for programs. Answers are \`{"data": …}\`, lists carry \`meta\`, failures are
\`{"error": {"code", "message", "details"}}\`. Sign in at \`POST /api/v1/auth/login\` or create an API key, and send either as
\`Authorization: Bearer\`. The console of a server is a WebSocket at \`GET /api/v1/servers/{id}/ws\`.`;

/** The OpenAPI 3.1 description of a route table. */
export function createDocument(routes: readonly Route[]): OpenApiDocument {
  const collector = new SchemaCollector();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, collector) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Game server panel', version: '1', description },
    servers: [{ url: '/' }],
    tags,
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: { ...collector.components, ErrorCode: errorCodeSchema, Error: errorSchema, Meta: metaSchema },
      responses: errorResponses,
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
    responses: { ...successOf(route, collector), ...failuresOf(route) },
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

export function needsOf(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'For everybody.';
    case 'account':
      return 'For everybody who is signed in.';
    case 'admin':
      return `Needs the permission \`${access.permission}\`.`;
    case 'server':
      return access.permissions.length === 0
        ? 'For everybody with access to the server.'
        : `Needs ${access.permissions.map((name) => `\`${name}\``).join(' or ')} on the server.`;
    default:
      return assertNever(access);
  }
}

function countsAs(rate: RateClass): string {
  return rate === 'general' ? '' : ` Counts in the rate class \`${rate}\`.`;
}

function parametersOf(route: Route, collector: SchemaCollector): Parameter[] {
  const inPath = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string', format: 'uuid' },
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
  return [...inPath, ...inQuery, ...(route.status === 201 ? [idempotencyKey] : [])];
}

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
  const schema = collector.toJson(rule.schema, 'input');
  const json = { schema, example: exampleOf(schema, collector.components) };
  if (rule.kind === 'json') return { required: true, content: { 'application/json': json } };
  return { required: true, content: { 'application/json': json, [uploadType]: { schema: {} } } };
}

/** JSON and YAML files are described as any value, other bytes not at all. */
function bytesSchema(type: string): JsonSchema {
  return type.includes('json') || type.includes('yaml') ? { type: 'object' } : {};
}

function successOf(route: Route, collector: SchemaCollector): Record<string, object> {
  if (route.handler === null) return {};
  if (route.response.kind === 'socket') return { '101': { description: 'A WebSocket.', headers: headerReferences } };
  const content = contentOf(route.response, collector);
  const answer = {
    description: route.status === 201 ? 'Created.' : 'Done.',
    headers: headerReferences,
    ...(content ? { content } : {}),
  };
  return { [`${route.status}`]: answer };
}

const headerReferences = Object.fromEntries(
  Object.keys(responseHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

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
  const bytes = (response.kind === 'one' ? (response.rawTypes ?? []) : []).map(
    (type) => [type, { schema: {} }] as const,
  );
  return { 'application/json': { schema, example }, ...Object.fromEntries(bytes) };
}

function metaOf(extraMeta: ZodObject | undefined, collector: SchemaCollector): JsonSchema {
  const pages: JsonSchema = { $ref: '#/components/schemas/Meta' };
  if (!extraMeta) return pages;
  const { additionalProperties: _, ...said } = collector.toJson(extraMeta, 'output');
  return { allOf: [pages, said] };
}

function failuresOf(route: Route): Record<string, object> {
  const { access, body, query, path } = route;
  const applies: [boolean, string, ErrorName][] = [
    [body !== null, '400', 'BadRequest'],
    [access.kind !== 'public' || path.startsWith('/api/v1/auth/'), '401', 'Unauthorized'],
    [access.kind !== 'public', '403', 'Forbidden'],
    [path.includes('{'), '404', 'NotFound'],
    [route.method !== 'GET' || access.kind === 'server', '409', 'Conflict'],
    [body !== null || query !== null, '422', 'ValidationError'],
    [true, '429', 'RateLimitExceeded'],
    [true, '500', 'InternalError'],
    [route.handler === null, '501', 'NotImplemented'],
    [true, '503', 'ServiceUnavailable'],
  ];
  const failures = applies.filter(([isPossible]) => isPossible);
  return Object.fromEntries(failures.map(([, status, name]) => [status, { $ref: `#/components/responses/${name}` }]));
}
