import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSync, type MessageTypeDefinition, type ServiceDefinition as LoadedService } from '@grpc/proto-loader';
import { expect } from 'chai';
import * as admin from '../src/admin.js';
import * as common from '../src/common.js';
import * as billing from '../src/billing.js';
import * as files from '../src/files.js';
import * as identity from '../src/identity.js';
import * as servers from '../src/servers.js';

interface GeneratedMethod {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly requestSerialize: (value: never) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (value: never) => Buffer;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly typeName: string;
  readonly oneofIndex?: number;
}

/** Holds the `panel/...` proto sources. */
const protoRoot = fileURLToPath(new URL('../../', import.meta.url));

const generated: Record<string, Record<string, unknown>> = { common, identity, servers, files, billing, admin };
const options = { keepCase: true, longs: Number, enums: String, bytes: Buffer, defaults: false, oneofs: false };

/** Some bytes of a message with every scalar field set, so that a wrong number, type or name shows. */
function sample(type: MessageTypeDefinition<object, object>): Record<string, unknown> {
  const fields = (type.type as unknown as { field: Field[] }).field;
  const taken = new Set<number>();
  const entries = fields.flatMap(({ name, type: kind, label, oneofIndex }, index) => {
    const isAlternative = oneofIndex !== undefined && taken.has(oneofIndex);
    const value = scalar(kind, index + 1);
    if (isAlternative || value === undefined) return [];
    if (oneofIndex !== undefined) taken.add(oneofIndex);
    return [[name, label === 'LABEL_REPEATED' ? [value, value] : value] as const];
  });
  return Object.fromEntries(entries);
}

function scalar(kind: string, seed: number): unknown {
  if (kind === 'TYPE_STRING') return `text ${seed} ü`;
  if (kind === 'TYPE_BOOL') return true;
  if (kind === 'TYPE_BYTES') return Buffer.from([seed, 0, 255]);
  if (kind === 'TYPE_DOUBLE') return seed + 0.5;
  if (['TYPE_INT32', 'TYPE_INT64', 'TYPE_UINT32'].includes(kind)) return seed;
  return undefined;
}

for (const [domain, code] of Object.entries(generated)) {
  describe(`generated code of ${domain}`, () => {
    const folder = path.join('panel', domain, 'v1');
    const sources = readdirSync(path.join(protoRoot, folder)).map((name) => path.join(folder, name));
    const loaded = loadSync(sources, { ...options, includeDirs: [protoRoot] });
    const services = Object.entries(loaded).filter(([, definition]) => !('format' in definition));

    for (const [fullName, definition] of services) {
      const name = fullName.slice(fullName.lastIndexOf('.') + 1);
      const ours = code[`${name}Service`] as Record<string, GeneratedMethod> | undefined;

      it(`generates every method of ${name}, as the source says`, () => {
        const shapes = Object.values(definition as LoadedService).map(({ path, requestStream, responseStream }) => ({
          path,
          requestStream,
          responseStream,
        }));
        const found = Object.values(ours ?? {}).map(({ path, requestStream, responseStream }) => ({
          path,
          requestStream,
          responseStream,
        }));
        expect(found).to.have.deep.members(shapes);
      });

      for (const method of Object.values(definition as LoadedService)) {
        const own = Object.values(ours ?? {}).find(({ path }) => path === method.path);
        it(`writes and reads ${method.path} as the source says`, () => {
          const request = sample(method.requestType);
          const bytes = method.requestSerialize(request);
          const rewritten = own?.requestSerialize(own.requestDeserialize(bytes) as never) ?? Buffer.alloc(0);
          expect(method.requestDeserialize(rewritten)).to.deep.equal(method.requestDeserialize(bytes));
          const response = sample(method.responseType);
          const answer = method.responseSerialize(response);
          const again = own?.responseSerialize(own.responseDeserialize(answer) as never) ?? Buffer.alloc(0);
          expect(method.responseDeserialize(again)).to.deep.equal(method.responseDeserialize(answer));
        });
      }
    }

    it('generates the definition of every service', () => expect(services).not.to.be.empty);
  });
}
