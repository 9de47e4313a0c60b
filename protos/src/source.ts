import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BinaryReader } from '@bufbuild/protobuf/wire';

/** Directory that holds the `panel/...` proto sources: for reflection, contract tests and operator scripts. */
export const protoRoot = fileURLToPath(new URL('../../', import.meta.url));

/** FileDescriptorSet of all proto files and their imports, of `npm run gen`. */
export const descriptorSet = fileURLToPath(new URL('../../gen/descriptors.binpb', import.meta.url));

export type Domain = 'common' | 'identity' | 'servers' | 'files' | 'billing' | 'admin';

/** The proto files of one domain, relative to `protoRoot`. */
export const protoFiles: Record<Domain, readonly string[]> = {
  common: ['panel/common/v1/multiplex.proto'],
  identity: [
    'panel/identity/v1/auth.proto',
    'panel/identity/v1/account.proto',
    'panel/identity/v1/user.proto',
    'panel/identity/v1/role.proto',
    'panel/identity/v1/credential.proto',
  ],
  servers: [
    'panel/servers/v1/server.proto',
    'panel/servers/v1/node.proto',
    'panel/servers/v1/allocation.proto',
    'panel/servers/v1/egg.proto',
    'panel/servers/v1/ownership.proto',
    'panel/servers/v1/schedule.proto',
    'panel/servers/v1/subuser.proto',
    'panel/servers/v1/database.proto',
    'panel/servers/v1/usage.proto',
    'panel/servers/v1/backup.proto',
  ],
  files: ['panel/files/v1/file.proto', 'panel/files/v1/backup.proto'],
  billing: [
    'panel/billing/v1/product.proto',
    'panel/billing/v1/cart.proto',
    'panel/billing/v1/order.proto',
    'panel/billing/v1/invoice.proto',
    'panel/billing/v1/service.proto',
    'panel/billing/v1/credit.proto',
    'panel/billing/v1/coupon.proto',
    'panel/billing/v1/profile.proto',
    'panel/billing/v1/payment.proto',
    'panel/billing/v1/report.proto',
  ],
  admin: ['panel/admin/v1/settings.proto', 'panel/admin/v1/mail.proto', 'panel/admin/v1/activity.proto'],
};

interface Descriptor {
  readonly imports: readonly string[];
  readonly bytes: Uint8Array;
}

/** FileDescriptorProtos of `files` and of all that they import, imports first. Throws when the set is missing. */
export function readDescriptors(files: readonly string[]): Uint8Array[] {
  const all = new Map(fieldsOf(readFileSync(descriptorSet), 1).map((bytes) => [nameOf(bytes), descriptorOf(bytes)]));
  const wanted = new Map<string, Uint8Array>();
  const add = (name: string): void => {
    const found = all.get(name);
    if (!found) throw new Error(`${descriptorSet} lacks ${name}`);
    if (wanted.has(name)) return;
    for (const each of found.imports) add(each);
    wanted.set(name, found.bytes);
  };
  for (const file of files) add(file);
  return [...wanted.values()];
}

/** Field numbers of google/protobuf/descriptor.proto. */
const [nameField, dependencyField] = [1, 3];
const text = new TextDecoder();

function nameOf(bytes: Uint8Array): string {
  return text.decode(fieldsOf(bytes, nameField)[0]);
}

function descriptorOf(bytes: Uint8Array): Descriptor {
  const imports = fieldsOf(bytes, dependencyField).map((each) => text.decode(each));
  return { imports, bytes };
}

/** Values of a field of strings or messages. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const values: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted) values.push(reader.bytes());
    else reader.skip(type);
  }
  return values;
}
