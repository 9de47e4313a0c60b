import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { RewriteError } from '../../src/config-files/rewrite-error.js';
import type { Parser } from '../../src/domain/config-file.js';
import { maxFileBytes, maxReplacements } from '../../src/config-files/limits.js';
import { rewriteContent } from '../../src/config-files/rewrite.js';
import { createRewriter, RewriterPool, type Rewriter } from '../../src/config-files/rewriter.js';
import { type Change, replacementOf, rewrite } from './rewriting.js';

const change: Change = ['a.b', 'x'];

function problemOf(parser: Parser, content: Buffer | string): string {
  try {
    rewriteContent({ parser, content: Buffer.from(content), replacements: [replacementOf(change)] });
    return 'none';
  } catch (error) {
    if (error instanceof RewriteError) return error.message;
    throw error;
  }
}

describe('malicious config file content', () => {
  for (const [what, parser, content, reason] of [
    ['broken YAML', 'yaml', 'a: [1\nb: }', /not valid YAML/],
    ['tabs in YAML', 'yaml', 'a:\n\tb: 1\n', /not valid YAML \(line 2\)/],
    ['broken JSON', 'json', '{"a": 1,\n "b" }', /not valid JSON \(line 2\)/],
    ['broken TOML', 'toml', 'a = 1\na = 2\n', /not valid TOML \(line 2\)/],
    ['broken XML', 'xml', '<a>\n<b></a>', /not valid XML \(line 2\)/],
    ['XML without an element', 'xml', '<!-- nothing -->', /not valid XML/],
    ['deep YAML between brackets', 'yaml', '['.repeat(50_000), /too deep/],
    ['deep YAML between braces', 'yaml', `a: ${'{a: '.repeat(50_000)}`, /too deep/],
    ['deep YAML in lists', 'yaml', `${'- '.repeat(50_000)}x`, /too deep/],
    [
      'deep YAML in blocks',
      'yaml',
      Array.from({ length: 1000 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
      /too deep/,
    ],
    ['deep JSON', 'json', '['.repeat(100_000), /too deep/],
    ['deep JSON of objects', 'json', '{"a":'.repeat(100_000), /too deep/],
    ['deep TOML', 'toml', `a = ${'['.repeat(100_000)}`, /too deep/],
    ['deep XML', 'xml', '<a>'.repeat(100_000), /too deep/],
    ['XML that never ends', 'xml', '<a><!--'.repeat(100_000), /not valid XML/],
    ['NUL characters', 'properties', 'a=\0', /not a text/],
    ['a program', 'ini', Buffer.from('7f454c4602010100', 'hex'), /not a text/],
    ['what is no UTF-8', 'yaml', Buffer.from('a: \xff\n', 'latin1'), /UTF-8/],
    ['half a UTF-16', 'json', Buffer.from('fffe61', 'hex'), /UTF-8/],
  ] as const satisfies [string, Parser, Buffer | string, RegExp][]) {
    it(`leaves a config file unchanged when it is ${what}`, () => {
      expect(problemOf(parser, content)).to.match(reason);
    });
  }

  for (const [parser, max] of Object.entries(maxFileBytes)) {
    it(`leaves a config file unchanged by ${parser} above ${max} bytes`, () => {
      expect(problemOf(parser as Parser, Buffer.alloc(max + 1, '#'))).to.match(/larger than/);
    });
  }

  it('expands no alias bomb', () => {
    const levels = Array.from(
      { length: 30 },
      (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}, *l${at}, *l${at}]\n`,
    );
    const text = `l0: &l0 [lol, lol]\n${levels.join('')}port: 1\n`;
    expect(
      rewrite('yaml', text, [
        ['port', '2'],
        ['l30.*', 'x'],
      ]),
    ).to.match(/^port: 2$/m);
  });

  it('accepts circular references', () => {
    expect(
      rewrite('yaml', 'a: &a\n  b: *a\nport: 1\n', [
        ['port', '2'],
        ['a.*.b.*', 'x'],
      ]),
    ).to.match(/^port: 2$/m);
  });

  it('defines no entities', () => {
    const text = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><b>&x;</b><c>1</c></a>';
    expect(rewrite('xml', text, [['a.c', '2']])).to.equal(text.replace('<c>1', '<c>2'));
  });

  it('constructs no objects from YAML tags', () => {
    const text = 'a: !!js/function "x"\nb: !!binary aGk=\nc: 1\n';
    expect(rewrite('yaml', text, [['c', '2']])).to.equal(text.replace('c: 1', 'c: 2'));
  });

  it('expands no value beyond the file size limit', () => {
    const value = 'a'.repeat(1000);
    const job = { parser: 'properties', content: Buffer.from(`k=${value}\n`) } as const;
    const { content, warnings } = rewriteContent({ ...job, replacements: [replacementOf(['k', value, 'regex:a'])] });
    expect(content).to.equal(null);
    expect(warnings[0]).to.match(/longer than/);
  });

  it('matches any expression in linear time', () => {
    const text = `k=${'a'.repeat(50_000)}!\n`;
    const started = processorMs();
    rewrite('properties', text, [
      ['k', 'x', 'regex:^(a+)+$'],
      ['k', 'x', 'regex:(a|aa)+$'],
      ['k', 'x', 'regex:(.*a){20}b'],
    ]);
    expect(processorMs() - started).to.be.below(10_000);
  });

  it('matches no invalid or oversized expression', () => {
    for (const source of [
      '(',
      '(?<=a)b',
      'a{1000}{1000}',
      '(?:(?:a{100}){100}){10}',
      'x'.repeat(2000),
      '(abcdefghij){999}',
    ]) {
      const job = { parser: 'properties', content: Buffer.from('k=a\n') } as const;
      const { content, warnings } = rewriteContent({
        ...job,
        replacements: [replacementOf(['k', 'x', `regex:${source}`])],
      });
      expect(content, source).to.equal(null);
      expect(warnings, source).to.have.length(1);
    }
  });

  it('writes no file beyond the size that is parsed', () => {
    const full = Buffer.from(`k=${'x'.repeat(maxFileBytes.properties - 3)}\n`);
    const replacements = [replacementOf(['another', 'y'])];
    expect(() => rewriteContent({ parser: 'properties', content: full, replacements })).to.throw(
      RewriteError,
      /would be larger/,
    );
  });

  it('matches no more rules than the limit', () => {
    const many = (length: number) => Array.from({ length }, (_, at) => replacementOf([`k${at}`, 'v']));
    const job = { parser: 'properties', content: Buffer.alloc(0) } as const;
    expect(rewriteContent({ ...job, replacements: many(maxReplacements) }).warnings).to.deep.equal([]);
    expect(() => rewriteContent({ ...job, replacements: many(maxReplacements + 1) })).to.throw(
      RewriteError,
      /more than/,
    );
  });

  it('receives values literally, whatever they look like', () => {
    const value = '{{config.token}} ${env.JWT_SECRET} $(id) `id` %s';
    expect(rewrite('properties', '', [['k', value]])).to.equal(`k=${value}\n`);
    expect(JSON.parse(rewrite('json', '{"k": "v"}', [['k', value]]))).to.deep.equal({ k: value });
    expect(rewrite('file', 'k\n', [['k', value]])).to.equal(`${value}\n`);
  });
});

describe('replacement groups', () => {
  for (const [value, expected] of [
    ['$1', 'ab'],
    ['${1}x', 'abx'],
    ['$1x', ''],
    ['$2', ''],
    ['$9', ''],
    ['${rest}', '1'],
    ['${none}', ''],
    ['$$1', '$1'],
    ['$', '$'],
    ['${', '${'],
    ['$0', 'ab1'],
    ['\\1', '\\1'],
  ] as const) {
    it(`renders the replacement group ${value}`, () => {
      expect(rewrite('properties', 'k=ab1\n', [['k', `${value}.`, 'regex:^([a-z]+)(,)?(?P<rest>\\d)$']])).to.equal(
        `k=${expected.replace('\\', '\\\\')}.\n`,
      );
    });
  }

  it('fills replacement groups for each match separately', () => {
    expect(rewrite('properties', 'k=a1 b2\n', [['k', '<$1>', 'regex:([a-z])\\d']])).to.equal('k=<a> <b>\n');
  });
});

describe('config file worker thread', () => {
  let rewriter: Rewriter;
  beforeEach(() => {
    rewriter = createRewriter();
  });
  afterEach(async () => rewriter.close());

  const good = { parser: 'json', content: Buffer.from('{}'), replacements: [replacementOf(['a', 'x'])] } as const;
  const run = async (job: Parameters<Rewriter['run']>[0], timeoutMs: number) =>
    rewriter.run(job, timeoutMs).then(
      ({ content }) => (content ? Buffer.from(content).toString() : 'unchanged'),
      (error: unknown) => {
        if (error instanceof RewriteError) return error.message;
        throw error;
      },
    );

  it('processes one file after the other', async () => {
    expect(await run(good, 10_000)).to.equal('{\n  "a": "x"\n}');
    expect(await run({ ...good, content: Buffer.from('{') }, 10_000)).to.match(/not valid JSON/);
    expect(await run(good, 10_000)).to.equal('{\n  "a": "x"\n}');
  });

  it('terminates the worker when a file takes too long, and processes the next file', async () => {
    const content = Buffer.from(Array.from({ length: 25_000 }, (_, at) => `[a.b${at}]\nx = 1\n`).join(''));
    expect(await run({ ...good, parser: 'toml', content }, 50)).to.match(/too long/);
    expect(await run(good, 10_000)).to.equal('{\n  "a": "x"\n}');
  });

  it('terminates the worker when a file takes too much memory, and processes the next file', async () => {
    const small = createRewriter({ maxHeapMb: 64 });
    const content = Buffer.from(Array.from({ length: 40_000 }, (_, at) => `key${at}: [a, b, c]\n`).join(''));
    const failure = await small.run({ ...good, parser: 'yaml', content }, 60_000).catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(RewriteError)
      .with.property('message')
      .that.matches(/memory/);
    expect((await small.run(good, 10_000)).content).not.to.equal(null);
    await small.close();
  });

  it('keeps the worker for the next file and ends it when idle', async () => {
    const started: Worker[] = [];
    const note = (worker: Worker) => void started.push(worker);
    process.on('worker', note);
    const brief = createRewriter({ idleMs: 200 });
    try {
      await brief.run(good, 10_000);
      await brief.run(good, 10_000);
      expect(started).to.have.length(1);
      await once(started[0] as Worker, 'exit', { signal: AbortSignal.timeout(10_000) });
      expect((await brief.run(good, 10_000)).content).not.to.equal(null);
      expect(started).to.have.length(2);
    } finally {
      process.off('worker', note);
      await brief.close();
    }
  });

  it('replaces a worker that exits unexpectedly', async () => {
    const started: Worker[] = [];
    const note = (worker: Worker) => void started.push(worker);
    process.on('worker', note);
    try {
      await run(good, 10_000);
      await started[0]?.terminate();
      expect(await run(good, 10_000)).to.equal('{\n  "a": "x"\n}');
    } finally {
      process.off('worker', note);
    }
  });

  it('limits its queue and serves it in order', async () => {
    const pool = new RewriterPool(2);
    const used = new Set<Rewriter>();
    const order: number[] = [];
    let most = 0;
    let now = 0;
    const work = async (at: number) =>
      pool
        .use(async (rewriter) => {
          used.add(rewriter);
          order.push(at);
          most = Math.max(most, ++now);
          await rewriter.run(good, 10_000);
          now--;
          if (at === 3) throw new Error('lost');
        })
        .catch((error: unknown) => expect(error).to.have.property('message', 'lost'));
    await Promise.all(Array.from({ length: 20 }, (_, at) => work(at)));
    expect(most).to.equal(2);
    expect(used.size).to.equal(2);
    expect(order).to.deep.equal(Array.from({ length: 20 }, (_, at) => at));
    await Promise.all(Array.from(used, async (rewriter) => rewriter.close()));
  });
});
