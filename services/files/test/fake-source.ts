import { createHash } from 'node:crypto';
import { createActorSigner, serve, startGrpcServer } from '@panel/rpc';
import { createLogger } from '@panel/kit/process';
import {
  type ExportVolumeRequest,
  type ExportVolumeResponse,
  ExportVolumeResponse_Entry as WireEntry,
  ExportVolumeResponse_Kind as Kind,
  type ExportVolumeResponse_Part,
  VolumeServiceService,
} from '@panel/protos/files';
import { TreeDigest } from '../src/transfers/tree-digest.js';
import { serviceSecret } from './harness.js';

export type Part = NonNullable<ExportVolumeResponse_Part['part']>;

/** Responds to each call with the next list of parts. */
export interface FakeSource {
  readonly address: string;
  readonly requests: ExportVolumeRequest[];
  /** For the next calls; a list may end with an error. */
  answer(...answers: (Part | Error)[][]): void;
  stop(): Promise<void>;
}

export async function startFakeSource(): Promise<FakeSource> {
  const requests: ExportVolumeRequest[] = [];
  let answers: (Part | Error)[][] = [];
  const unused = async () => Promise.reject(new Error('not in this test'));
  async function* exportVolume(request: ExportVolumeRequest): AsyncGenerator<ExportVolumeResponse> {
    requests.push(request);
    for (const part of answers.shift() ?? []) {
      if (part instanceof Error) throw part;
      yield { parts: [{ part }] };
    }
  }
  const others = Object.keys(VolumeServiceService).map((name) => [name, unused]);
  const handlers = { ...Object.fromEntries(others), exportVolume };
  const server = await startGrpcServer([serve(VolumeServiceService, handlers as never)], {
    listen: '127.0.0.1:0',
    signer: createActorSigner(serviceSecret),
    log: createLogger({ service: 'fake-source', level: 'silent' }),
  });
  return {
    address: server.address,
    requests,
    answer: (...next) => {
      answers = next;
    },
    stop: async () => server.stop(1_000),
  };
}

const time = new Date('2024-05-06T07:08:09Z');
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest();

export function start(entries = 100, bytes = 1_000_000, diskBytes = 0): Part {
  return { $case: 'start', value: { entries, bytes, diskBytes } };
}

/** A directory by default. */
export function entry(path: string | Buffer, more: Partial<WireEntry> = {}): Part {
  const value = WireEntry.create({
    kind: Kind.DIRECTORY,
    mode: 0o755,
    modifyTime: time,
    ...more,
    path: Buffer.from(path),
  });
  return { $case: 'entry', value };
}

export function link(path: string | Buffer, target: string): Part {
  return entry(path, { kind: Kind.SYMLINK, mode: 0, linkTarget: Buffer.from(target) });
}

/** With a valid checksum by default. */
export function file(path: string | Buffer, content: string, checksum: Buffer = sha256(content)): Part[] {
  return [
    entry(path, { kind: Kind.FILE, mode: 0o644, sizeBytes: content.length }),
    { $case: 'chunk', value: Buffer.from(content) },
    { $case: 'fileEnd', value: { sha256: checksum } },
  ];
}

/** The valid finish for these parts. */
export function finish(parts: readonly Part[]): Part {
  const digest = new TreeDigest();
  parts.forEach((part, at) => {
    if (part.$case !== 'entry') return;
    const { path, kind, mode, sizeBytes, linkTarget } = part.value;
    const end = parts[at + 2];
    if (kind === Kind.DIRECTORY) digest.add({ path, kind: 'directory', mode, sizeBytes: 0, sha256: Buffer.alloc(32) });
    if (kind === Kind.SYMLINK) {
      digest.add({ path, kind: 'symlink', mode, sizeBytes: linkTarget.length, sha256: sha256(linkTarget) });
    }
    if (kind === Kind.FILE && end?.$case === 'fileEnd') {
      digest.add({ path, kind: 'file', mode, sizeBytes, sha256: end.value.sha256 });
    }
  });
  return { $case: 'finish', value: { ...digest.totals(), skipped: 0 } };
}
