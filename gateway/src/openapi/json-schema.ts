import { z } from 'zod';

/** Used part of JSON Schema 2020-12. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

type Schemas = Record<string, JsonSchema>;

/** Named schemas (`.meta({ id })`) become referenced components. */
export class SchemaCollector {
  readonly components: Schemas = {};

  /** `input`: sent by clients; `output`: received. */
  toJson(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const json = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema, io),
    }) as NamedSchema;
    const { $schema: _, $defs = {}, id, ...own } = json;
    for (const [name, definition] of Object.entries($defs)) this.#add(name, definition);
    if (id === undefined) return withReferences(own) as JsonSchema;
    this.#add(id, own);
    return { $ref: `#/components/schemas/${id}` };
  }

  #add(name: string, definition: NamedSchema): void {
    const named = { ...definition };
    delete named.id;
    this.components[name] ??= withReferences(named) as JsonSchema;
  }
}

/** Values may be added: a client takes an unknown one as any other. */
export function openEnum(values: readonly string[]): JsonSchema {
  return { anyOf: [{ type: 'string', enum: [...values] }, { type: 'string' }] };
}

interface NamedSchema extends JsonSchema {
  id?: string;
  $schema?: string;
  $defs?: Record<string, NamedSchema>;
}

/**
 * Removes safe-integer bounds and patterns that repeat a format. Restores the type of query defaults. Responses may get
 * fields. An object as a default is no value of generated schemas: leaving the field out means the same.
 */
function simplify(json: JsonSchema, io: 'input' | 'output'): void {
  if (io === 'output' && json.properties && json.additionalProperties === false) delete json.additionalProperties;
  if (typeof json.default === 'object' && !Array.isArray(json.default) && json.default !== null) {
    json.examples ??= [json.default];
    delete json.default;
  }
  if (json.type === 'integer' && typeof json.default === 'string') json.default = Number(json.default);
  if (json.type === 'string' && typeof json.default === 'boolean') json.default = `${json.default}`;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.format === 'uuid' || json.format === 'date-time') delete json.pattern;
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string'
        ? each.replace('#/$defs/', '#/components/schemas/')
        : withReferences(each),
    ]),
  );
}
