import { expect } from 'chai';
import type { OutputCursor } from '../src/runtime.js';
import { Fixture, type Subject } from './fixture.js';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { read, readUntil, within } from '../src/testing/reading.js';

const count = 20_000;
const numbered = `i=0; while [ $i -lt ${count} ]; do echo "line $i"; i=$((i+1)); done`;
const expected = Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');

export function consoleConformance(subject: Subject): void {
  describe('console output', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('delivers console output from the first byte to the end of the run', async () => {
      const spec = await fixture.run('echo first; echo second >&2; printf last');
      const { text, chunks, ended } = await read(fixture.runtime, spec.serverId);
      expect(text).to.equal('first\nsecond\nlast');
      expect(ended).to.equal(true);
      for (const { at } of chunks) expect(Math.abs(at.getTime() - Date.now())).to.be.below(20_000);
    });

    it('reads console output again after the run any number of times', async () => {
      const spec = await fixture.run('echo a; echo b');
      await read(fixture.runtime, spec.serverId);
      expect((await read(fixture.runtime, spec.serverId)).text).to.equal('a\nb\n');
    });

    it('delivers console output as it is written', async () => {
      const spec = await fixture.run('echo one; read x; echo "two $x"');
      const { cursor } = await readUntil(fixture.runtime, spec.serverId, 'one\n');
      await fixture.runtime.writeInput(spec.serverId, 'go\n');
      const { text } = await readUntil(fixture.runtime, spec.serverId, 'two go\n', cursor);
      expect(text).not.to.include('one');
    });

    it(`delivers console output completely and in order: ${count} numbered lines`, async () => {
      const spec = await fixture.run(numbered);
      const { text } = await read(fixture.runtime, spec.serverId);
      expect(text).to.equal(expected);
    });

    it('neither loses nor duplicates output for readers that reconnect, to another service too', async () => {
      const spec = await fixture.run(numbered);
      const other = fixture.open();
      let text = '';
      let cursor: OutputCursor | undefined;
      for (let turn = 0; turn < 200; turn += 1) {
        const chunksWanted = 1 + ((turn * 7919) % 400);
        const runtime = turn % 2 === 0 ? fixture.runtime : other;
        const part = await read(runtime, spec.serverId, {
          after: cursor,
          until: (_, chunks) => chunks >= chunksWanted,
        });
        text += part.text;
        cursor = part.cursor;
        if (part.ended) break;
      }
      if (cursor !== undefined) text += (await read(other, spec.serverId, { after: cursor })).text;
      expect(text.length).to.equal(expected.length);
      expect(text).to.equal(expected);
    });

    it('keeps very long lines at any resume position', async () => {
      const spec = await fixture.run(
        `i=0; while [ $i -lt 5000 ]; do printf "%010d" $i; i=$((i+1)); done; echo; ` +
          `i=0; while [ $i -lt 16384 ]; do printf x; i=$((i+1)); done; echo; echo end`,
      );
      const wanted =
        Array.from({ length: 5000 }, (_, i) => String(i).padStart(10, '0')).join('') + `\n${'x'.repeat(16_384)}\nend\n`;
      const { text, chunks } = await read(fixture.runtime, spec.serverId);
      expect(text).to.equal(wanted);
      let before = '';
      for (const chunk of chunks) {
        before += chunk.data.toString('latin1').replaceAll('\r\n', '\n');
        const rest = await read(fixture.runtime, spec.serverId, { after: chunk.cursor });
        expect(before + rest.text).to.equal(wanted);
      }
    });

    it('keeps bytes that are not text', async () => {
      const spec = await fixture.run(`printf '\\377\\376\\033[31mred\\n'`);
      const { chunks } = await read(fixture.runtime, spec.serverId);
      const bytes = Buffer.concat(chunks.map((chunk) => chunk.data));
      expect(bytes.subarray(0, 10).toString('latin1')).to.equal('\xff\xfe\x1b[31mred');
    });

    it('starts at the beginning for a cursor of an earlier run and a malformed one', async () => {
      const spec = await fixture.run('echo one; echo two');
      const { cursor } = await read(fixture.runtime, spec.serverId);
      await fixture.runtime.create(spec);
      await fixture.runtime.start(spec.serverId);
      expect((await read(fixture.runtime, spec.serverId, { after: cursor })).text).to.equal('one\ntwo\n');
      expect((await read(fixture.runtime, spec.serverId, { after: 'nonsense' })).text).to.equal('one\ntwo\n');
    });

    it('ends when the reader aborts', async () => {
      const spec = await fixture.run('echo ready; while :; do sleep 0.1; done');
      const abort = new AbortController();
      const reading = (async () => {
        for await (const _ of fixture.runtime.readOutput(spec.serverId, { signal: abort.signal })) abort.abort();
      })();
      await within(5000, 'the end of reading', reading);
    });

    it('ends immediately for an instance that was not started, and is not found for none', async () => {
      const spec = fixture.spec('true');
      expect(await reasonOf(read(fixture.runtime, spec.serverId))).to.equal('INSTANCE_NOT_FOUND');
      await fixture.runtime.create(spec);
      expect(await read(fixture.runtime, spec.serverId)).to.include({ text: '', ended: true });
    });

    it('serves ten readers although one does not read', async () => {
      const spec = await fixture.run(numbered);
      const unread = fixture.runtime.readOutput(spec.serverId, { signal: new AbortController().signal });
      const stuck = unread[Symbol.asyncIterator]();
      await stuck.next();
      const readings = await Promise.all(
        Array.from({ length: 9 }, () => read(fixture.runtime, spec.serverId, { timeoutMs: 45_000 })),
      );
      expect(readings.every((reading) => reading.text === expected)).to.equal(true);
      await stuck.return?.();
    });
  });

  describe('console input', () => {
    let fixture: Fixture;
    beforeEach(() => {
      fixture = new Fixture(subject);
    });
    afterEach(async () => fixture.close());

    it('reaches the game in order', async () => {
      const lines = Array.from({ length: 200 }, (_, i) => `command ${i} "$(x)" é`);
      const spec = await fixture.run(
        'echo ready; while read -r l; do [ "$l" = quit ] && exit 0; echo "$l" >> got; done',
      );
      await readUntil(fixture.runtime, spec.serverId, 'ready');
      for (const line of lines) await fixture.runtime.writeInput(spec.serverId, `${line}\n`);
      await fixture.runtime.writeInput(spec.serverId, 'quit\n');
      expect((await read(fixture.runtime, spec.serverId)).ended).to.equal(true);
      await fixture.runtime.create({ ...spec, startup: 'cat got' });
      await fixture.runtime.start(spec.serverId);
      const { chunks } = await read(fixture.runtime, spec.serverId);
      const got = Buffer.concat(chunks.map((chunk) => chunk.data))
        .toString('utf8')
        .replaceAll('\r\n', '\n');
      expect(got).to.equal(lines.map((line) => `${line}\n`).join(''));
    });

    it('refuses console input when nothing runs', async () => {
      const spec = fixture.spec('true');
      expect(await reasonOf(fixture.runtime.writeInput(spec.serverId, 'x\n'))).to.equal('INSTANCE_NOT_FOUND');
      await fixture.runtime.create(spec);
      expect(await reasonOf(fixture.runtime.writeInput(spec.serverId, 'x\n'))).to.equal('INSTANCE_NOT_FOUND');
      await fixture.runtime.start(spec.serverId);
      await read(fixture.runtime, spec.serverId);
      expect(await reasonOf(fixture.runtime.writeInput(spec.serverId, 'x\n'))).to.equal('INSTANCE_NOT_FOUND');
    });

    it('reaches the next run after reattachment', async () => {
      const spec = await fixture.run('read l; echo "first $l"');
      await fixture.runtime.writeInput(spec.serverId, 'a\n');
      expect((await read(fixture.runtime, spec.serverId)).text).to.include('first a');
      await fixture.runtime.create({ ...spec, startup: 'read l; echo "second $l"' });
      await fixture.runtime.start(spec.serverId);
      await fixture.runtime.writeInput(spec.serverId, 'b\n');
      expect((await read(fixture.runtime, spec.serverId)).text).to.include('second b');
    });

    it('does not block on a game that never reads', async () => {
      const deaf = await fixture.run('echo ready; while :; do sleep 1; done');
      const other = await fixture.run('read l; echo "heard $l"');
      await readUntil(fixture.runtime, deaf.serverId, 'ready');
      const line = `${'x'.repeat(1000)}\n`;
      const flood = within(
        15_000,
        'an answer to input nobody reads',
        Promise.all(
          Array.from({ length: 1500 }, async () => reasonOf(fixture.runtime.writeInput(deaf.serverId, line))),
        ),
      );
      await fixture.runtime.writeInput(other.serverId, 'you\n');
      expect((await readUntil(fixture.runtime, other.serverId, 'heard you')).text).to.include('heard you');
      expect(['none', 'INPUT_BLOCKED']).to.include.members([...new Set(await flood)]);
      await fixture.runtime.kill(deaf.serverId);
      await waitUntil('the end', async () => (await fixture.runtime.inspect(deaf.serverId))?.state === 'exited');
    });
  });
}
