import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { readPackets } from '../../src/sftp/packet-stream.js';
import { maxPacketBytes } from '../../src/sftp/protocol.js';
import { reasonOf } from '../harness.js';

const never = new AbortController().signal;

function packet(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

describe('the packets of an SFTP channel', () => {
  const contents = [Buffer.from('a'), Buffer.alloc(300, 'b'), Buffer.alloc(maxPacketBytes, 'c'), Buffer.from('last')];
  const bytes = Buffer.concat(contents.map(packet));
  const collect = async (stream: PassThrough, signal = never): Promise<Buffer[]> => {
    const packets: Buffer[] = [];
    for await (const one of readPackets(stream, signal)) packets.push(one);
    return packets;
  };

  for (const size of [1, 3, 4, 5, 303, 32 * 1024, bytes.length]) {
    it(`stay whole when they come in pieces of ${size} bytes`, async () => {
      const stream = new PassThrough({ highWaterMark: 2 * 1024 * 1024 });
      const from = size < 303 ? contents.slice(0, 2).map(packet) : [bytes];
      const sent = Buffer.concat(from);
      const send = async () => {
        for (let at = 0; at < sent.length; at += size) {
          stream.write(sent.subarray(at, at + size));
          if (at % 7 === 0) await new Promise(setImmediate);
        }
        stream.end();
      };
      const [packets] = await Promise.all([collect(stream), send()]);
      expect(Buffer.concat(packets.map(packet)).equals(sent)).to.equal(true);
    });
  }

  it('end before one that is cut off, however the stream ends', async () => {
    for (const end of [(it: PassThrough) => it.end(), (it: PassThrough) => it.emit('close')]) {
      const stream = new PassThrough();
      stream.write(bytes.subarray(0, 200));
      const packets = collect(stream);
      await new Promise(setImmediate);
      end(stream);
      expect(await packets).to.deep.equal([contents[0]]);
    }
  });

  it('leave the rest of the bytes in the stream until they are asked for', async () => {
    const stream = new PassThrough({ highWaterMark: 2 * 1024 * 1024 });
    stream.write(bytes);
    const packets = readPackets(stream, never);
    await packets.next();
    expect(stream.readableLength).to.equal(bytes.length - 5);
    await packets.return(undefined);
  });

  it('refuses a length of no bytes and of more than 256 KiB', async () => {
    for (const length of [0, maxPacketBytes + 1, 2 ** 32 - 1]) {
      const stream = new PassThrough();
      const head = Buffer.alloc(4);
      head.writeUInt32BE(length);
      stream.write(head);
      expect(await reasonOf(collect(stream)), String(length)).to.equal('SFTP_MALFORMED');
    }
  });

  it('end with the reason of an abort, also while none comes', async () => {
    const stream = new PassThrough();
    const abort = new AbortController();
    const packets = collect(stream, abort.signal);
    await new Promise(setImmediate);
    abort.abort(new Error('cut off'));
    expect(await packets.catch((error: unknown) => error)).to.have.property('message', 'cut off');
    expect(stream.listenerCount('readable')).to.equal(0);
  });
});
