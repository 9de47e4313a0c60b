import { expect } from 'chai';
import { type Change, refusal, rewrite } from './rewriting.js';

const velocity = `# Config version. Do not change this
config-version = "2.6"

# What port should the proxy be bound to? By default, we'll bind to all addresses on port 25577.
bind = "0.0.0.0:25577"
motd = "<#09add3>A Velocity Server"
show-max-players = 500
online-mode = true

[servers]
# Configure your servers here.
lobby = "127.0.0.1:30066"
factions = "127.0.0.1:30067"
try = [
  "lobby"
]

[forced-hosts]
"lobby.example.com" = [
  "lobby"
]

[advanced]
compression-level = -1
login-ratelimit = 3_000
ratio = 1.50
`;

describe('parser toml', () => {
  it('sets the values of a Velocity proxy and changes nothing else', () => {
    const changes: Change[] = [
      ['bind', '0.0.0.0:7777'],
      ['show-max-players', '20'],
      ['online-mode', 'false'],
      ['servers.*', '172.18.0.1$1', 'regex:^127\\.0\\.0\\.1(:\\d+)$'],
      ['forced-hosts.lobby\\.example\\.com[0]', 'factions'],
      ['advanced.login-ratelimit', '3000'],
      ['advanced.ratio', '2'],
      ['query.enabled', 'true'],
      ['query.port', '7777'],
    ];
    expect(rewrite('toml', velocity, changes)).to.equal(
      `${velocity
        .replace('0.0.0.0:25577"', '0.0.0.0:7777"')
        .replace('500', '20')
        .replace('online-mode = true', 'online-mode = false')
        .replace('127.0.0.1:30066', '172.18.0.1:30066')
        .replace('127.0.0.1:30067', '172.18.0.1:30067')
        .replace('"lobby.example.com" = [\n  "lobby"', '"lobby.example.com" = [\n  "factions"')
        .replace('1.50', '2.0')}
[query]
enabled = true
port = 7777
`,
    );
  });

  for (const [what, text, changes, expected] of [
    [
      'an empty file',
      '',
      [
        ['a', '1'],
        ['b.c', 'x'],
        ['b.d', true],
      ],
      'a = 1\n\n[b]\nc = "x"\nd = true\n',
    ],
    ['a file with nothing above its tables', '# of a\n[a]\nx = 1\n', [['k', '2']], 'k = 2\n\n# of a\n[a]\nx = 1\n'],
    ['a table', '[a]\nx = 1 # c\n\n[b]\ny = 1\n', [['a.k', '2']], '[a]\nx = 1 # c\nk = 2\n\n[b]\ny = 1\n'],
    ['an empty table', '[a] # c\n[b]\n', [['a.k', 'x']], '[a] # c\nk = "x"\n[b]\n'],
    ['a table below a table', '[a]\nx = 1\n', [['a.b.c', '2']], '[a]\nx = 1\nb.c = 2\n'],
    ['a table known from one below it', '[a.b]\nx = 1\n', [['a.k', '2']], '[a.b]\nx = 1\n\n[a]\nk = 2\n'],
    ['a table of dotted keys', 'a.b = 1\nz = 1\n', [['a.c', '2']], 'a.b = 1\na.c = 2\nz = 1\n'],
    [
      'a table in a line',
      'a = { b = 1 }\nc = {}\n',
      [
        ['a.b', '2'],
        ['a.d.e', '3'],
        ['c.f', '4'],
      ],
      'a = { b = 2, d.e = 3 }\nc = { f = 4 }\n',
    ],
    [
      'a table of dotted keys in a line',
      'a = { b.c = 1, d = 2 }\n',
      [['a.b.e', '3']],
      'a = { b.c = 1, b.e = 3, d = 2 }\n',
    ],
    [
      'a list',
      'a = [1, 2]\nb = []\n',
      [
        ['a[0]', '5'],
        ['a[2]', '6'],
        ['b[0]', 'x'],
      ],
      'a = [5, 2, 6]\nb = ["x"]\n',
    ],
    [
      'a list of tables',
      '[[a]]\nx = 1\n[[a]]\nx = 2\n',
      [
        ['a[0].x', '5'],
        ['a[0].y', '6'],
        ['a[1].x', '7'],
      ],
      '[[a]]\nx = 5\ny = 6\n[[a]]\nx = 7\n',
    ],
    ['a list that is not there', 'a = 1\n', [['b[0].c', 'x']], 'a = 1\nb = [{ c = "x" }]\n'],
    ['all items of a list of tables', '[[a]]\nx = 1\n[[a]]\nx = 2\n', [['a.*.x', '9']], '[[a]]\nx = 9\n[[a]]\nx = 9\n'],
    [
      'a text',
      'a = \'C:\\x\'\nb = "x"\n',
      [
        ['a', 'D:\\y'],
        ['b', 'D:\\y "z"'],
      ],
      'a = \'D:\\y\'\nb = "D:\\\\y \\"z\\""\n',
    ],
    ['a text that its quotes cannot hold', "a = 'x'\n", [['a', "it's"]], 'a = "it\'s"\n'],
    [
      'a text of several lines',
      'a = """\nx\ny"""\nb = 1\n',
      [
        ['a', 'z\n'],
        ['b', '2'],
      ],
      'a = "z\\n"\nb = 2\n',
    ],
    ['a text that looks like a number', 'a = "1"\n', [['a', '2']], 'a = "2"\n'],
    [
      'a number and a flag',
      'a = 1\nb = true\n',
      [
        ['a', '2.5'],
        ['b', '0'],
      ],
      'a = 2.5\nb = false\n',
    ],
    [
      'digits beyond any double',
      'a = 9007199254740993\nb = 1\n',
      [['b', '9007199254740995']],
      'a = 9007199254740993\nb = 9007199254740995\n',
    ],
    ['a date', 'a = 1979-05-27\n', [['a', '1980-01-01']], 'a = "1980-01-01"\n'],
    ['a key that needs quotes', '', [['a b', 'x']], '"a b" = "x"\n'],
    [
      'lines of Windows',
      'a = 1\r\n[b]\r\nc = 1\r\n',
      [
        ['d', '2'],
        ['b.e', '3'],
      ],
      'a = 1\r\nd = 2\r\n[b]\r\nc = 1\r\ne = 3\r\n',
    ],
    ['the last line without its end', 'a = 1', [['b', '2']], 'a = 1\nb = 2\n'],
  ] as const satisfies [string, string, Change[], string][]) {
    it(`sets values in ${what}`, () => {
      expect(rewrite('toml', text, changes)).to.equal(expected);
    });
  }

  it('refuses values it cannot write and leaves the document unchanged', () => {
    expect(refusal('toml', '[[a]]\nx = 1\n', [['a[1].x', '2']])).to.match(/cannot be written/);
    expect(refusal('toml', 'a = 1\n', [['a.b', '2']])).to.match(/single value/);
    expect(refusal('toml', 'a = 1\n', [['__proto__.b', '2']])).to.match(/not allowed/);
  });
});
