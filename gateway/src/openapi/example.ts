import type { JsonSchema } from './json-schema.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

const byName: Readonly<Record<string, unknown>> = {
  email: 'someone@example.com',
  ip: '192.0.2.10',
  port: 25565,
  memory: 2048,
  memory_bytes: 734_003_200,
  disk: 10_240,
  cpu: 200,
  swap: 0,
  io: 500,
  page: 1,
  per_page: 25,
  code: '123456',
  currency: 'EUR',
  amount: 1250,
  uuid_short: '0b1f2c3d',
  mode_bits: '644',
  path: '/server.properties',
  directory: '/',
  from: '/old.txt',
  to: '/new.txt',
  allowed_ips: ['192.0.2.0/24'],
  additional_allocation_ids: ['2b3c4d5e-6f7a-4b8c-9d0e-1f2a3b4c5d6e'],
  add_allocation_ids: ['2b3c4d5e-6f7a-4b8c-9d0e-1f2a3b4c5d6e'],
  payment_method: 'credits',
  ports: ['25565', '25570-25580'],
  permissions: ['servers.view'],
  sort: '-created_at',
  files_address: '10.0.0.5:7104',
  data_root: '/var/lib/panel',
  token_type: 'Bearer',
  minute: '30',
  hour: '4',
  day_of_month: '*',
  month: '*',
  day_of_week: '1-5',
  timezone: 'Europe/Berlin',
  language: 'en',
  country: 'DE',
  vat_number: 'DE136695976',
  tax_rates: 'DE=19,FR=20',
  datev_consultant: 29_098,
  datev_client: 55_003,
  datev_accounts:
    'cash=1360,cash:manual=1200,receivable=1410,sales=8200,tax=1770,credits=1700,debt=1500,usage=1710,disputed=1590,promotion=8700,written_off=2400',
  seller_country: 'DE',
  seller_vat_numbers: 'FR40303265045',
  tax_exemption: 'Embassy',
  password: 'a long enough password',
  public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f someone@example.com',
  env_variable: 'MAX_PLAYERS',
  url: 'https://panel.example.com',
  from_address: 'panel@example.com',
  host: 'db.example.com',
  role: 'viewer',
  default_memory: 2048,
  primary_colour: '#1a2b3c',
  accent_colour: '#3c2b1a',
};

/** Deterministic, with familiar values for known names. */
export function exampleOf(schema: JsonSchema, components: Schemas, name = ''): unknown {
  const reference = schema.$ref;
  if (reference !== undefined) {
    return exampleOf(components[reference.slice('#/components/schemas/'.length)] ?? {}, components, name);
  }
  if ('const' in schema) return schema.const;
  if (schema.examples) return schema.examples[0];
  if ('default' in schema) return schema.default;
  if (schema.enum) return schema.enum[0];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return exampleOf(alternatives[0] ?? {}, components, name);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => exampleOf(each, components)));
  switch (schema.type) {
    case 'object':
      return exampleObject(schema, components);
    case 'array':
      return Array.isArray(byName[name]) ? byName[name] : [exampleOf(schema.items ?? {}, components, name)];
    case 'string':
      return exampleString(schema, name);
    case 'integer':
    case 'number':
      return exampleNumber(schema, name);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function exampleObject(schema: JsonSchema, components: Schemas): object {
  const properties = schema.properties ?? {};
  if (Object.keys(properties).length === 0 && typeof schema.additionalProperties === 'object') {
    return { EXAMPLE: exampleOf(schema.additionalProperties, components) };
  }
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => schema.required?.includes(name) || !isAlternative(property))
      .map(([name, property]) => [name, exampleOf(property, components, name)]),
  );
}

const farFuture = '2099-01-31T12:00:00.000Z';

/** Of exclusive or dependent fields, the declaring one is left out. */
function isAlternative({ description = '' }: JsonSchema): boolean {
  return /^(instead of|only together with) /.test(description);
}

function exampleString(schema: JsonSchema, name: string): string {
  if (schema.format === 'uuid') return '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
  if (schema.format === 'date-time') return name === 'expires_at' ? farFuture : '2026-01-31T12:00:00.000Z';
  const known = byName[name];
  if (typeof known === 'string') return known;
  const { pattern } = schema;
  if (pattern !== undefined && !new RegExp(pattern).test('example')) return samples.find(fits(pattern)) ?? '';
  return 'example';
}

const samples = ['1', '123456', '25565', '10.0.0.5:7104', '/srv', 'EXAMPLE', 'EUR'];

function fits(pattern: string): (text: string) => boolean {
  return (text) => new RegExp(pattern).test(text);
}

function exampleNumber(schema: JsonSchema, name: string): number {
  const known = byName[name];
  const least = schema.minimum ?? schema.exclusiveMinimum ?? 0;
  const most = schema.maximum ?? Infinity;
  if (typeof known === 'number' && known >= least && known <= most) return known;
  return Math.max(1, Math.ceil(least)) <= most ? Math.max(1, Math.ceil(least)) : most;
}
