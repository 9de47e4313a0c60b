import { Duplex } from 'node:stream';
import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import type { ServerChannel } from 'ssh2';
import { HandleTable } from '../../src/sftp/handle-table.js';
import type { OperationScope } from '../../src/sftp/operations.js';
import { requestTypes } from '../../src/sftp/protocol.js';
import { SftpSession } from '../../src/sftp/session.js';

function packet(type: number, id: number, path = ''): Buffer {
  const bytes = Buffer.from(path);
  const body = Buffer.alloc(9 + bytes.length);
  body.writeUInt8(type, 0);
  body.writeUInt32BE(id, 1);
  body.writeUInt32BE(bytes.length, 5);
  bytes.copy(body, 9);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

describe('SFTP session', () => {
  it('sends every answer of a session as a whole', async () => {
    const seen: string[] = [];
    const stream = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, done) => {
        seen.push('write');
        done();
      },
    });
    Object.assign(stream, { exit: () => undefined });
    const session = new SftpSession({
      stream: stream as unknown as ServerChannel,
      scope: {
        handles: new HandleTable(1, { enter: () => undefined, leave: () => undefined }),
        signal: new AbortController().signal,
      } as unknown as OperationScope,
      drained: async () => undefined,
      cork: () => seen.push('cork'),
      received: () => undefined,
      log: createLogger({ service: 'test', level: 'silent' }),
    });
    stream.push(packet(requestTypes.init, 3));
    for (const id of [1, 2]) stream.push(packet(requestTypes.realpath, id, '/a'));
    stream.push(null);
    await session.run();
    // the version precedes the requests
    expect(seen).to.deep.equal(['cork', 'write', 'cork', 'write', 'cork', 'write']);
  });
});
