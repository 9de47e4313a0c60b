import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import type { JsonSchema } from '../../src/openapi/json-schema.js';
import { documentedRoutes } from '../../src/routes/index.js';

/** CommonJS, contrary to its types. */
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}

describe('OpenAPI document', () => {
  const document = createDocument(documentedRoutes);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

  it('passes an independent validator of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result.errors ?? []).to.deep.equal([]);
    expect([result.valid, validator.version]).to.deep.equal([true, '3.1']);
  });

  it('contains every route', () => {
    expect(operations.map(({ name }) => name).sort()).to.deep.equal(
      documentedRoutes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it('describes who may use each operation, its responses and its errors', () => {
    for (const { name, operation } of operations) {
      expect(operation.summary, name).not.to.equal('');
      const statuses = Object.keys(operation.responses);
      expect(statuses, name).to.include.members(['429', '500', '503']);
      expect(
        statuses.some((status) => status.startsWith('2') || status === '101'),
        name,
      ).to.equal(true);
      if (operation.security.length > 0) expect(statuses, name).to.include.members(['401', '403']);
    }
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).to.equal(operations.length);
  });

  it('contains examples that fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    let checked = 0;
    const check = (name: string, content: Readonly<Record<string, Content>> = {}) => {
      for (const { schema, example } of Object.values(content)) {
        if (example === undefined) continue;
        const validate = ajv.compile({ ...schema, components: document.components });
        expect(validate(example), `${name}: ${JSON.stringify(validate.errors)} ${JSON.stringify(example)}`).to.equal(
          true,
        );
        checked += 1;
      }
    };
    for (const { name, operation } of operations) {
      check(`${name} body`, operation.requestBody?.content);
      for (const [status, answer] of Object.entries(operation.responses)) {
        check(`${name} ${status}`, (answer as { content?: Record<string, Content> }).content);
      }
    }
    for (const [name, answer] of Object.entries(
      document.components.responses as Record<string, { content: Record<string, Content> }>,
    )) {
      check(name, answer.content);
    }
    expect(checked).to.be.greaterThan(100);
  });

  it('contains JSON Schema 2020-12 schemas without broken references', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, keywords: ['components'] });
    addFormats(ajv);
    const schemas = [
      ...Object.entries(document.components.schemas),
      ...operations.flatMap(({ name, operation }) =>
        operation.parameters.map((parameter) => [`${name} ${parameter.name}`, parameter.schema] as const),
      ),
    ];
    for (const [name, schema] of schemas) {
      expect(
        () => ajv.compile({ ...schema, components: { schemas: document.components.schemas } }),
        name,
      ).not.to.throw();
    }
  });

  it('describes parts, unchanged files and the headers of downloads', () => {
    const path = '/api/v1/servers/{id}/files/contents';
    const responses = document.paths[path]?.['get']?.responses as Record<string, { headers?: object }>;
    expect(responses).to.include.keys('200', '206', '304', '400', '401', '403', '404', '409', '416', '422');
    const asked = document.paths[path]?.['get']?.parameters.filter((each) => each.in === 'header');
    expect(asked?.map(({ name }) => name)).to.deep.equal(['If-None-Match', 'If-Range', 'Range']);
    const headers = (status: string) => Object.keys(responses[status]?.headers ?? {});
    expect(headers('200')).to.include.members(['ETag', 'Accept-Ranges', 'Content-Disposition']);
    expect(headers('200')).not.to.include('Content-Range');
    expect(headers('206')).to.include.members(['ETag', 'Content-Range']);
    expect(headers('304')).to.include('ETag');
    const uploads = document.paths['/api/v1/servers/{id}/files/uploads']?.['post']?.responses;
    expect(uploads).to.include.keys('201', '412');
  });

  it('leaves open what may grow: fields of answers, reasons and codes', () => {
    const { schemas } = document.components;
    expect(schemas['Server']).not.to.have.property('additionalProperties');
    expect(schemas['ErrorCode']?.anyOf?.at(-1)).to.deep.equal({ type: 'string' });
    const conflicts = document.paths['/api/v1/servers/{id}/power']?.['post']?.responses['409'];
    expect(JSON.stringify(conflicts)).to.contain('"reason":{"anyOf":[{"type":"string","enum":[');
    const body = document.paths['/api/v1/account/password']?.['put']?.requestBody?.content['application/json'];
    expect(body?.schema.additionalProperties).to.equal(false);
  });

  it('declares no object as a default, which generated schemas cannot have', () => {
    expect(JSON.stringify(document)).not.to.match(/"default":\{/);
  });

  it('names every permission that an operation needs', () => {
    const accessOf = (method: string, path: string) => document.paths[`/api/v1${path}`]?.[method]?.['x-access'];
    expect(accessOf('post', '/admin/eggs/{id}/import')).to.deep.equal({
      kind: 'admin',
      permission: 'eggs.import',
      also: ['eggs.update'],
    });
    expect(accessOf('post', '/servers/{id}/databases/{db-id}/import')).to.deep.equal({
      kind: 'server',
      permissions: ['database.update'],
      also: ['database.view_password'],
    });
  });

  it('refers to headers that it describes, and describes no others', () => {
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/headers\/([^"]+)"/g)].map(([, name]) => name),
    );
    expect([...referred]).to.have.members(Object.keys(document.components.headers));
  });

  it('describes bodies as a client writes them, with defaults', () => {
    const body = document.paths['/api/v1/admin/servers']?.['post']?.requestBody?.content['application/json']?.schema;
    expect(body?.required).to.deep.equal(['name', 'user_id', 'egg_id', 'memory', 'cpu', 'disk']);
    expect(body?.additionalProperties).to.equal(false);
  });

  it('bounds every number in a body but money, which the services count in 64 bits', () => {
    const isMoney = /^(amount|price|setup_fee|value|monthly_cap|.*_micros)$/;
    // position of the task in its list
    const isChecked = (name: string) => name === 'sequence';
    const unbounded: string[] = [];
    const visit = (schema: JsonSchema, at: string, name: string): void => {
      const types = [schema.type ?? []].flat();
      const isNumber = types.includes('integer') || types.includes('number');
      if (isNumber && (schema.maximum ?? Infinity) > 2 ** 31 - 1 && !isMoney.test(name) && !isChecked(name))
        unbounded.push(`${at}.${name}`);
      for (const [key, each] of Object.entries(schema.properties ?? {})) visit(each, `${at}.${name}`, key);
      for (const each of [schema.items ?? [], schema.anyOf ?? [], schema.oneOf ?? [], schema.allOf ?? []].flat())
        visit(each, at, name);
      const named = /[^/]+$/.exec(schema.$ref ?? '')?.[0];
      if (named !== undefined) visit(document.components.schemas[named] ?? {}, at, name);
    };
    for (const { name, operation } of operations) {
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) visit(schema, name, 'body');
    }
    expect(unbounded).to.deep.equal([]);
  });

  it('describes every message of a console socket', () => {
    const socket = document.paths['/api/v1/servers/{id}/ws']?.['get'];
    expect(socket?.['x-websocket']).to.deep.equal({
      sends: { $ref: '#/components/schemas/ConsoleMessage' },
      receives: { $ref: '#/components/schemas/ConsoleRequest' },
    });
    expect(document.components.schemas).to.include.keys('ConsoleMessage', 'ConsoleRequest');
  });

  it('defines repeated parts once', () => {
    expect(Object.keys(document.components.schemas)).to.include.members([
      'Server',
      'User',
      'Node',
      'Egg',
      'Error',
      'Meta',
    ]);
    expect(JSON.stringify(document)).not.to.contain('#/$defs/');
  });
});
