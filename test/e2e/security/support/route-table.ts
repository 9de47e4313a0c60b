import { randomUUID } from 'node:crypto';
import { dataOf, send } from './requests.js';

/** The used part of JSON Schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
}

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly access: { readonly kind: 'public' | 'account' | 'admin' | 'server' };
  /** Fields of the JSON body; empty without one. */
  readonly fields: Readonly<Record<string, Schema>>;
  readonly hasJsonBody: boolean;
  readonly queryNames: readonly string[];
}

interface Operation {
  readonly 'x-access': Endpoint['access'];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export async function readEndpoints(base: string): Promise<Endpoint[]> {
  const document = JSON.parse((await send(base, '/api/v1/openapi.json')).text) as Document;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const schema = operation.requestBody?.content['application/json']?.schema;
      const named =
        schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').pop() ?? ''];
      return {
        method: method.toUpperCase(),
        path,
        access: operation['x-access'],
        fields: named?.properties ?? {},
        hasJsonBody: schema !== undefined,
        queryNames: operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      };
    }),
  );
}

/** Identity's endpoints: sign-in, account, users and roles (a user's credits and billing profile are billing's). */
export function isIdentity({ path }: Endpoint): boolean {
  return (
    /^\/api\/v1\/(auth|account|admin\/users|admin\/roles)(\/|$)/.test(path) &&
    !/\/(credits|billing\/profile)$/.test(path)
  );
}

export function withRandomIds(path: string): string {
  return path.replace(/\{[^}]+\}/g, () => randomUUID());
}

/** Ids of the three built-in roles by name. */
export async function roleIds(base: string, token: string): Promise<Record<string, string>> {
  const roles = await dataOf<{ id: string; name: string }[]>(base, '/api/v1/admin/roles', { token });
  const builtIn = roles.filter(({ name }) => ['admin', 'moderator', 'user'].includes(name));
  return Object.fromEntries(builtIn.map(({ id, name }) => [name, id]));
}
