import { expect } from 'chai';
import { type Change, refusal, rewrite, rewriteBytes } from './rewriting.js';

describe('parser ini', () => {
  for (const [what, text, changes, expected] of [
    ['a section', '[Server]\nPort = 1\n', [['Server.Port', '2']], '[Server]\nPort = 2\n'],
    ['only its own section', '[A]\nx=1\n[B]\nx=1\n', [['B.x', '2']], '[A]\nx=1\n[B]\nx=2\n'],
    ['what is above all sections', 'x = 1\n[A]\nx = 1\n', [['x', '2']], 'x = 2\n[A]\nx = 1\n'],
    ['a section with dots', '[a.b]\nk = 1\n', [['[a.b].k', '2']], '[a.b]\nk = 2\n'],
    ['a key with dots', '[a]\nb.k = 1\n', [['a.b.k', '2']], '[a]\nb.k = 2\n'],
    ['a key with brackets', '[a]\nk[0]=1\n', [['a.k[0]', '2']], '[a]\nk[0]=2\n'],
    [
      'an empty file',
      '',
      [
        ['a.k', '2'],
        ['top', '1'],
      ],
      'top = 1\n[a]\nk = 2\n',
    ],
    [
      'a section without the key',
      '[a]\nx = 1\n\n; of b\n[b]\ny = 1\n',
      [['a.k', '2']],
      '[a]\nx = 1\nk = 2\n\n; of b\n[b]\ny = 1\n',
    ],
    [
      'a file without the section',
      '[a]\nx = 1',
      [
        ['b.k', '2'],
        ['b.l', '3'],
      ],
      '[a]\nx = 1\n\n[b]\nk = 2\nl = 3\n',
    ],
    ['an empty section', '[a]\n[b]\n', [['a.k', '2']], '[a]\nk = 2\n[b]\n'],
    ['no top yet', '; head\n[a]\nx = 1\n', [['k', '2']], 'k = 2\n; head\n[a]\nx = 1\n'],
    ['a file without spaces', '[a]\nx=1\ny=2\n', [['a.k', '3']], '[a]\nx=1\ny=2\nk=3\n'],
    ['comments', '# h\n[a] ; of a\n;k = 0\nk = 1\n', [['a.k', '2']], '# h\n[a] ; of a\n;k = 0\nk = 2\n'],
    ['a key that is there twice', '[a]\nk=1\nk=2\n', [['a.k', '3']], '[a]\nk=3\nk=3\n'],
    ['quotes', '[a]\nk = "old"\n', [['a.k', 'new name']], '[a]\nk = "new name"\n'],
    ['quotes around the same', '[a]\nk = "same"\n', [['a.k', 'same']], '[a]\nk = "same"\n'],
    [
      'a value with signs of comments',
      '[a]\nk = x\n',
      [['a.k', 'My #1; server = best']],
      '[a]\nk = My #1; server = best\n',
    ],
    [
      'lines of Windows',
      '[a]\r\nk=1\r\n',
      [
        ['a.k', '2'],
        ['a.l', '3'],
      ],
      '[a]\r\nk=2\r\nl=3\r\n',
    ],
    ['spaces around a value, which are none of it', 'k = 1\n', [['k', ' 2 ']], 'k = 2\n'],
    ['a colon', 'k: 1\n', [['k', '2']], 'k: 2\n'],
    ['nothing but a key', 'k =\n', [['k', '2']], 'k =2\n'],
    [
      'a flag and a number',
      '[a]\nx = 1\n',
      [
        ['a.x', true],
        ['a.y', 5],
      ],
      '[a]\nx = true\ny = 5\n',
    ],
    [
      'a file of Unreal Engine',
      '[/Script/Engine.GameSession]\nMaxPlayers=8\n',
      [['[/Script/Engine.GameSession].MaxPlayers', '32']],
      '[/Script/Engine.GameSession]\nMaxPlayers=32\n',
    ],
  ] as const satisfies [string, string, Change[], string][]) {
    it(`sets values in ${what}`, () => {
      expect(rewrite('ini', text, changes)).to.equal(expected);
    });
  }

  it('replaces on a condition only an existing value that matches', () => {
    const changes: Change[] = [
      ['a.k', '2', '1'],
      ['a.l', '2', '0'],
      ['a.m', '2', '1'],
      ['a.q', 'new', 'old'],
    ];
    expect(rewrite('ini', '[a]\nk = 1\nl = 1\nq = "old"\n', changes)).to.equal('[a]\nk = 2\nl = 1\nq = "new"\n');
  });

  for (const [what, change] of [
    ['a value with a line break', ['a.k', 'x\nadmin = me']],
    ['a value with a carriage return', ['a.k', 'x\radmin = me']],
    ['a key with a line break', ['a.k\nb', 'x']],
    ['a key that would be a comment', ['a.;k', 'x']],
    ['a section that would end', ['a]b.k', 'x']],
    ['no key', ['a.', 'x']],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(refusal('ini', '[a]\nk = 1\n', [change])).not.to.equal('');
    });
  }

  it('reads and writes UTF-16, which Unreal Engine uses', () => {
    const mark = Buffer.from([0xff, 0xfe]);
    const old = Buffer.concat([mark, Buffer.from('[a]\r\nName=Grüße\r\nPort=1\r\n', 'utf16le')]);
    const { content } = rewriteBytes('ini', old, [['a.Port', '7777']]);
    expect(content).to.deep.equal(Buffer.concat([mark, Buffer.from('[a]\r\nName=Grüße\r\nPort=7777\r\n', 'utf16le')]));
  });

  it('keeps the byte order mark and finds the first key after it', () => {
    expect(rewrite('ini', '\ufeffk = 1\n', [['k', '2']])).to.equal('\ufeffk = 2\n');
  });
});
