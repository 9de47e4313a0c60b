import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { ApiError } from '@panel/client';
import { PieceSize } from '../../src/files/piece-size.js';
import { saveFileText } from '../../src/files/save-file-text.js';
import type { Answer, Sending } from '../../src/files/sender.js';

/** With one file, behind a proxy. */
class FakePanel {
  readonly log: string[] = [];
  readonly pieces = new PieceSize();
  bodyLimit = Infinity;
  text = 'before';
  /** Of an upload that has begun. */
  #arrived = '';
  #ifMatch = '';
  #size = 0;

  async save(content: string, seen = 'before'): Promise<string> {
    const text = { serverId: 'server', path: '/config/a.yml', content, ifMatch: sha256(seen) };
    return saveFileText(text, { write: this.#write, sender: this, pieces: this.pieces });
  }

  readonly wait = async (): Promise<void> => void this.log.push('wait');
  readonly whenOnline = async (): Promise<void> => undefined;
  readonly send = async ({ method, url, headers, body }: Sending): Promise<Answer> => {
    this.log.push(method);
    if ((body?.size ?? 0) > this.bodyLimit) throw refusal(413);
    if (method === 'POST') {
      expect(url).to.equal('/api/v1/servers/server/files/uploads?overwrite=true&directory=%2Fconfig');
      this.#ifMatch = headers['if-match'] ?? '';
      this.#require(this.#ifMatch);
      [this.#arrived, this.#size] = ['', Number(headers['upload-length'])];
    }
    if (method === 'PATCH') {
      this.#arrived += (await body?.text()) ?? '';
      if (this.#arrived.length === this.#size) this.#replace(this.#ifMatch, this.#arrived);
    }
    const answer: Record<string, string> = { location: url, 'upload-offset': String(this.#arrived.length) };
    return { body: { data: { id: 'one' } }, header: (name) => answer[name] ?? null };
  };

  readonly #write = async (text: { readonly content: string; readonly ifMatch: string }): Promise<string> => {
    this.log.push('PUT');
    if (text.content.length > this.bodyLimit) throw refusal(413);
    this.#replace(text.ifMatch, text.content);
    return 'answered';
  };

  #replace(ifMatch: string, content: string): void {
    this.#require(ifMatch);
    this.text = content;
  }

  #require(ifMatch: string): void {
    if (ifMatch !== sha256(this.text)) throw refusal(409, 'file_changed');
  }
}

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

/** Without a reason: by a proxy. */
function refusal(status: number, reason?: string): ApiError {
  const body = reason === undefined ? {} : { error: { code: 'conflict', message: reason, details: { reason } } };
  return ApiError.from(new Response(null, { status }), body);
}

const failureOf = async (saving: Promise<string>): Promise<unknown> => saving.catch((error: unknown) => error);
const large = 'x'.repeat(2 * 1024 ** 2);

describe('saving the text of the editor', () => {
  it('takes one request, whose answer is the new version', async () => {
    const panel = new FakePanel();
    expect(await panel.save(large)).to.equal('answered');
    expect([panel.log, panel.text]).to.deep.equal([['PUT'], large]);
  });

  it('takes pieces of the same condition where a proxy refuses that, and at once the next time', async () => {
    const panel = new FakePanel();
    panel.bodyLimit = 1024 ** 2;
    expect(await panel.save(large)).to.equal(sha256(large));
    expect([panel.log, panel.text]).to.deep.equal([['PUT', 'POST', 'PATCH', 'PATCH'], large]);
    panel.log.length = 0;
    await panel.save(`${large}!`, large);
    expect([panel.log, panel.text]).to.deep.equal([['POST', 'PATCH', 'PATCH', 'PATCH'], `${large}!`]);
    panel.log.length = 0;
    await panel.save('small', `${large}!`);
    expect([panel.log, panel.text]).to.deep.equal([['PUT'], 'small']);
  });

  it('sends no piece for another version', async () => {
    const panel = new FakePanel();
    panel.bodyLimit = 1024 ** 2;
    panel.text = 'theirs';
    expect(await failureOf(panel.save(large))).to.deep.include({ status: 409, details: { reason: 'file_changed' } });
    expect([panel.log, panel.text]).to.deep.equal([['PUT', 'POST'], 'theirs']);
  });

  it('fails at once when the file was changed before the last piece, and ends the upload', async () => {
    const panel = new FakePanel();
    panel.bodyLimit = 1024 ** 2;
    const { send } = panel;
    Object.assign(panel, {
      send: async (sending: Sending) => {
        if (panel.log.at(-1) === 'PATCH') panel.text = 'theirs';
        return send(sending);
      },
    });
    expect(await failureOf(panel.save(large))).to.deep.include({ status: 409, details: { reason: 'file_changed' } });
    expect([panel.log, panel.text]).to.deep.equal([['PUT', 'POST', 'PATCH', 'PATCH', 'DELETE'], 'theirs']);
  });

  it('leaves other failures of the request as they are', async () => {
    const panel = new FakePanel();
    panel.bodyLimit = 1000;
    expect(await failureOf(panel.save('x'.repeat(2000)))).to.deep.include({ status: 413 });
    panel.bodyLimit = Infinity;
    panel.text = 'theirs';
    expect(await failureOf(panel.save(large))).to.deep.include({ status: 409 });
    expect(panel.log).to.deep.equal(['PUT', 'PUT']);
  });
});
