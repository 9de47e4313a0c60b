import { expect } from 'chai';
import type { OutputChunk } from '../src/runtime.js';
import { Fixture, type Subject } from './fixture.js';
import { readUntil, within } from '../src/testing/reading.js';

interface Seen {
  readonly text: string;
  readonly isPreview: boolean;
  readonly cursor: string;
  readonly ms: number;
}

export function dockerPrompts(subject: Subject): void {
  describe('a prompt without a line feed', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    async function readTo(serverId: string, last: string, onChunk: (seen: Seen) => Promise<void> | void = () => {}) {
      const stop = new AbortController();
      const all: Seen[] = [];
      const toSeen = ({ data, isPreview = false, cursor }: OutputChunk): Seen => ({
        text: data.toString().replaceAll('\r\n', '\n'),
        isPreview,
        cursor,
        ms: performance.now(),
      });
      const work = (async () => {
        const options = { signal: stop.signal, hasPreviews: true };
        for await (const chunk of fixture.runtime.readOutput(serverId, options)) {
          const seen = toSeen(chunk);
          all.push(seen);
          await onChunk(seen);
          if (seen.text.includes(last)) break;
        }
      })();
      await within(15_000, `output, had ${JSON.stringify(all)}`, work).finally(() => stop.abort());
      return all;
    }

    it('delivers a prompt at once, before the reader came too, and again with its line', async () => {
      const spec = await fixture.run('printf "Name: "; read x; printf "Password: "; read y; echo "hello $x"');
      const seen = await readTo(spec.serverId, 'hello', async ({ text, isPreview }) => {
        if (isPreview) await fixture.runtime.writeInput(spec.serverId, text.startsWith('Name') ? 'bob\n' : 'secret\n');
      });
      expect(seen.map(({ text, isPreview }) => (isPreview ? `preview ${text}` : text))).to.deep.equal([
        'preview Name: ',
        'Name: bob\n',
        'preview Password: ',
        'Password: secret\n',
        'hello bob\n',
      ]);
      expect(seen[2]?.cursor, 'a preview moves no cursor').to.equal(seen[1]?.cursor);
    });

    it('comes within 200 ms of a whole line of the same moment', async () => {
      const spec = await fixture.run('read go; for i in 1 2 3; do echo "line $i"; printf "ask $i: "; read x; done');
      const lateMs: number[] = [];
      let lineAt = 0;
      const reading = readTo(spec.serverId, 'ask 3', async ({ text, isPreview, ms }) => {
        if (text.startsWith('line')) lineAt = ms;
        if (!isPreview || !text.startsWith('ask')) return;
        lateMs.push(ms - lineAt);
        await fixture.runtime.writeInput(spec.serverId, 'x\n');
      });
      await fixture.runtime.writeInput(spec.serverId, 'go\n');
      await reading;
      expect(lateMs).to.have.length(3);
      expect(Math.min(...lateMs), `${lateMs.join()} ms`).to.be.below(200);
    });

    it('delivers a line that is redrawn without a pause a few times a second', async () => {
      const bar = 'for i in $(seq 1 60); do printf "\\rget $i %%"; sleep 0.02; done; echo; echo end';
      const spec = await fixture.run(`read go; ${bar}`);
      const reading = readTo(spec.serverId, 'end');
      await fixture.runtime.writeInput(spec.serverId, 'go\n');
      const seen = await reading;
      const states = seen.filter(({ isPreview, text }) => isPreview && text.includes('get'));
      const lastedMs = (states.at(-1)?.ms ?? 0) - (states[0]?.ms ?? 0);
      expect(states.length, `states in ${lastedMs} ms`).to.be.within(2, 2 + lastedMs / 200);
    });

    it('follows a flood, and is not mixed with it', async () => {
      const long = 'x'.repeat(4_000);
      const spec = await fixture.run(
        `read go; yes ${long} | head -n 600; echo over; sleep 3; echo after; printf "more? "; read x`,
      );
      const reading = readTo(spec.serverId, 'more? ');
      await fixture.runtime.writeInput(spec.serverId, 'go\n');
      const seen = await reading;
      const log = seen.filter(({ isPreview }) => !isPreview).map(({ text }) => text);
      expect(log.join('')).to.equal(`go\n${`${long}\n`.repeat(600)}over\nafter\n`);
      const previews = seen.filter(({ isPreview }) => isPreview).map(({ text }) => text);
      expect(previews.pop()).to.equal('more? ');
      // On a busy machine the flood itself pauses in a line, or in its end.
      for (const text of previews) expect(`${long}\r`.startsWith(text), text).to.equal(true);
    });

    it('delivers a prompt to a reader who came after its line began', async () => {
      const spec = await fixture.run('echo ready; read x; printf "Sure? "; read y');
      const other = fixture.open();
      const stop = new AbortController();
      const { cursor } = await readUntil(other, spec.serverId, 'ready');
      const options = { signal: stop.signal, hasPreviews: true, ...(cursor === undefined ? {} : { after: cursor }) };
      const chunks = other.readOutput(spec.serverId, options)[Symbol.asyncIterator]();
      const first = chunks.next();
      setTimeout(() => void fixture.runtime.writeInput(spec.serverId, '\n'), 300);
      expect((await within(10_000, 'the line', first)).value.data.toString()).to.equal('\r\n');
      const { data, isPreview } = (await within(10_000, 'the prompt', chunks.next())).value;
      expect([data.toString(), isPreview]).to.deep.equal(['Sure? ', true]);
      stop.abort();
      await chunks.return?.();
    });
  });
}
