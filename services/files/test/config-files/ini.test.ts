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
    [
      'the last of repeated keys, which most games read, and keeps the others (arrays of Unreal Engine)',
      '[a]\nMods=1\nMods=2\n+Mods=3\n[a]\nMods=4\n',
      [['a.Mods', '5']],
      '[a]\nMods=1\nMods=2\n+Mods=3\n[a]\nMods=5\n',
    ],
    [
      'the repeated key that has the value of the condition',
      '[a]\nMods=1\nMods=2\nMods=3\n',
      [['a.Mods', '5', '2']],
      '[a]\nMods=1\nMods=5\nMods=3\n',
    ],
    [
      'the section that is written alike, not one that differs in case',
      '[Server]\nport=1\n[server]\nport=2\nPort=3\n[SERVER]\nport=4\n',
      [['server.port', '5']],
      '[Server]\nport=1\n[server]\nport=5\nPort=3\n[SERVER]\nport=4\n',
    ],
    [
      'quotes with a note behind them',
      '[a]\nk="Old" ; shown in list\nl = "" \t# none\nm="a ; \\"b\\"" ;c\n',
      [
        ['a.k', 'New'],
        ['a.l', 'x'],
        ['a.m', 'y'],
      ],
      '[a]\nk="New" ; shown in list\nl = "x" \t# none\nm="y" ;c\n',
    ],
    [
      'numbers and flags with a note behind them, on lines of Windows',
      '[a]\r\nk=1 ; one\r\nl = -1.5\t#two \r\nm=True ;\r\n',
      [
        ['a.k', '2'],
        ['a.l', '3'],
        ['a.m', false],
      ],
      '[a]\r\nk=2 ; one\r\nl = 3\t#two \r\nm=false ;\r\n',
    ],
    [
      'text without quotes, to which signs of comments belong',
      'k=My server #1\nl=a ; b\nm="a";"b"\nn=1;2\n',
      [
        ['k', 'New'],
        ['l', 'c'],
        ['m', 'd'],
        ['n', '3'],
      ],
      'k=New\nl=c\nm="d"\nn=3\n',
    ],
    ['a number that becomes text, to which its note would belong', 'k=1 ; one\n', [['k', 'x']], 'k=x\n'],
    [
      'quotes, which a value cannot end',
      'k="x"\nl = "x" ; n\nm="x"\nn="x"\no="x"\n',
      [
        ['k', 'The "best" \\'],
        ['l', '" ; Admin = "me'],
        ['m', '"a" "b"'],
        ['n', 'C:\\\\'],
        ['o', '"own"'],
      ],
      `k="The 'best' \\\\"\nl = "' ; Admin = 'me" ; n\nm="'a' 'b'"\nn="C:\\\\"\no="own"\n`,
    ],
    ['quotes around a backslash at the end', 'k="C:\\x\\"\n', [['k', 'y']], 'k="y"\n'],
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
    ['a value that would be read as a number and a note', ['a.k', '5 ; admin']],
    ['a value that would be read as quotes and a note', ['a.k', '"x" # admin']],
    ['a new value that would be read as a number and a note', ['a.l', '5 ; admin']],
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
