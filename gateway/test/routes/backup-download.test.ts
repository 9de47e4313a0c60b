import { Backup } from '@panel/protos/files';
import { expect } from 'chai';
import type { DownloadHeaders } from '../../src/http/download-headers.js';
import { downloadBackup, type GrantedBackup } from '../../src/routes/backups/download.js';

const content = Buffer.from('0123456789');

/** One stored backup; `isStored: false`: packed while sent. */
function granted(isStored = true): GrantedBackup {
  const downloadBackup = async function* ({ offsetBytes = 0, limitBytes = 0 }) {
    const backup = Backup.create({ name: 'nightly', checksum: 'abc' });
    yield { part: { $case: 'start' as const, value: { backup, totalBytes: isStored ? content.length : -1 } } };
    const end = limitBytes > 0 ? offsetBytes + limitBytes : content.length;
    yield { part: { $case: 'chunk' as const, value: content.subarray(offsetBytes, end) } };
  };
  return { client: { downloadBackup } as unknown as GrantedBackup['client'], grant: 'g', backupId: 'b' };
}

describe('download of a backup', () => {
  const ask = async (headers: Partial<DownloadHeaders>, isStored = true) => {
    const all = { range: undefined, ifRange: undefined, ifNoneMatch: undefined, ...headers };
    const { body, options } = await downloadBackup(granted(isStored), all, {});
    const parts: Buffer[] = [];
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) for await (const part of body) parts.push(part as Buffer);
    return { status: options.status ?? 200, text: Buffer.concat(parts).toString(), headers: options.headers ?? {} };
  };

  it('goes on where a broken one of the same version has ended', async () => {
    const { headers } = await ask({});
    const same = await ask({ range: 'bytes=4-', ifRange: headers['ETag'] });
    expect([same.status, same.text, same.headers['Content-Range']]).to.deep.equal([206, '456789', 'bytes 4-9/10']);
  });

  it('begins again when If-Range names another version', async () => {
    const other = await ask({ range: 'bytes=4-', ifRange: '"other"' });
    expect([other.status, other.text, other.headers['Content-Range']]).to.deep.equal([200, '0123456789', undefined]);
  });

  it('answers 304 to a client that has the backup, and all of it where it is packed while it is sent', async () => {
    expect((await ask({ ifNoneMatch: '"abc"' })).status).to.equal(304);
    const packed = await ask({ range: 'bytes=4-' }, false);
    expect([packed.status, packed.text, packed.headers['Accept-Ranges']]).to.deep.equal([200, '0123456789', 'none']);
  });
});
