import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BinaryReader } from '@bufbuild/protobuf/wire';

/** FileDescriptorSet of all proto files and their imports, of `npm run gen`. Found by its name also from the one file of a program. */
export const descriptorSet = fileURLToPath(import.meta.resolve('@panel/protos/descriptors.binpb'));

/** FileDescriptorProtos of all proto files and of all that they import. Throws when the set is missing. */
export function readDescriptors(): Buffer[] {
  const reader = new BinaryReader(readFileSync(descriptorSet));
  const files: Buffer[] = [];
  // A FileDescriptorSet is its files, one after the other.
  while (reader.pos < reader.len) {
    reader.tag();
    files.push(Buffer.from(reader.bytes()));
  }
  return files;
}
