import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { type Change, refusal, rewrite, rewriteBytes } from './rewriting.js';

const bungeecord = `# The proxy
server_connect_timeout: 5000
listeners:
- query_port: 25577
  motd: '&1Another Bungee server'
  tab_list: GLOBAL_PING
  query_enabled: false # no need
  proxy_protocol: false
  forced_hosts:
    pvp.md-5.net: pvp
  priorities:
  - lobby
  host: 0.0.0.0:25577
  max_players: 1
remote_ping_cache: -1
network_compression_threshold: 256
ip_forward: false
stats: 6e5ae0a4-1f3f-4f1d-9f6d-b4c4ddc0a1b5
servers:
  lobby:
    motd: '&1Just another BungeeCord - Forced Host'
    address: localhost:25565
    restricted: false
  # the second
  pvp:
    address: 127.0.0.1
    restricted: true
  far:
    address: 192.0.2.7:25565
`;

describe('parser yaml', () => {
  it('sets the values of a BungeeCord proxy and changes nothing else', () => {
    const host = 'regex:^(127\\.0\\.0\\.1|localhost)(:\\d{1,5})?$';
    const text = rewrite('yaml', bungeecord, [
      ['listeners[0].query_port', '25600'],
      ['listeners[0].host', '0.0.0.0:25600'],
      ['servers.*.address', '172.18.0.1$2', host],
    ]);
    expect(text).to.equal(
      bungeecord
        .replace('query_port: 25577', 'query_port: 25600')
        .replace('host: 0.0.0.0:25577', 'host: 0.0.0.0:25600')
        .replace('address: localhost:25565', 'address: 172.18.0.1:25565')
        .replace('address: 127.0.0.1', 'address: 172.18.0.1'),
    );
  });

  it('replaces a whole value that equals the find value, as older eggs require', () => {
    const text = rewrite('yaml', bungeecord, [
      ['servers.*.address', '172.18.0.1', '127.0.0.1'],
      ['servers.*.address', '172.18.0.1', 'localhost'],
    ]);
    expect(text).to.equal(bungeecord.replace('address: 127.0.0.1', 'address: 172.18.0.1'));
  });

  for (const [what, text, changes, expected] of [
    ['a number that stays one', 'a: 1\n', [['a', '25565']], 'a: 25565\n'],
    ['a number by what is none', 'a: 1\n', [['a', 'many']], 'a: many\n'],
    ['a flag that stays one', 'a: true\n', [['a', '0']], 'a: false\n'],
    ['a flag by what is none', 'a: true\n', [['a', 'maybe']], 'a: maybe\n'],
    ['a flag that the egg has as one', 'a: "x"\n', [['a', true]], 'a: true\n'],
    ['a text that looks like a number', 'a: text\n', [['a', '25565']], "a: '25565'\n"],
    [
      'a text that looks like a flag',
      'a: text\n',
      [
        ['a', 'yes'],
        ['b', 'x'],
      ],
      "a: 'yes'\nb: x\n",
    ],
    ['a text in double quotes', 'a: "x" # c\n', [['a', 'say "hi"']], 'a: "say \\"hi\\"" # c\n'],
    ['a text in single quotes', "a: 'x'\n", [['a', "it's"]], "a: 'it''s'\n"],
    ['a text with a colon', 'a: x\n', [['a', 'b: c']], "a: 'b: c'\n"],
    ['a text with a comment sign', 'a: x\n', [['a', 'b #c']], "a: 'b #c'\n"],
    ['a text that begins like something else', 'a: x\n', [['a', '*b']], "a: '*b'\n"],
    ['a text with line breaks', 'a: x\n', [['a', 'b\nc']], 'a: "b\\nc"\n'],
    ['a text over several lines', 'a: |\n  x\n  y\nb: 1\n', [['a', 'z']], 'a: z\nb: 1\n'],
    ['a plain text over several lines', 'a: x\n  y\nb: 1\n', [['a', 'z']], 'a: z\nb: 1\n'],
    ['an empty text', 'a: x\n', [['a', '']], "a: ''\n"],
    ['what has no value yet', 'a:\nb: 1\n', [['a', '25565']], 'a: 25565\nb: 1\n'],
    ['what is null', 'a: ~ # c\n', [['a', 'x']], 'a: x # c\n'],
    [
      'digits beyond any number',
      'a: 1\nb: 9007199254740993\nc: 0.10000000000000000001\n',
      [['a', '18446744073709551617']],
      'a: 18446744073709551617\nb: 9007199254740993\nc: 0.10000000000000000001\n',
    ],
    [
      'an empty file',
      '',
      [
        ['a', '1'],
        ['b.c', 'x'],
        ['l[0].d', 'true'],
        ['l[0].e', 'v1.20'],
      ],
      'a: 1\nb:\n  c: x\nl:\n  - d: true\n    e: v1.20\n',
    ],
    ['nothing but comments', '# head', [['a', '1']], '# head\na: 1\n'],
    ['a missing key at the top', 'a: 1\n\n# tail\n', [['b', 'x']], 'a: 1\nb: x\n\n# tail\n'],
    [
      'a missing key further in',
      'a:\n    b: 1 # c\n# of d\nd: 2\n',
      [['a.c.e', '5']],
      'a:\n    b: 1 # c\n    c:\n      e: 5\n# of d\nd: 2\n',
    ],
    ['a missing key in an item', 'l:\n- a: 1\n- a: 2\nz: 1\n', [['l[0].b', '5']], 'l:\n- a: 1\n  b: 5\n- a: 2\nz: 1\n'],
    ['the next item of a list', 'l:\n- x\nz: 1\n', [['l[1]', 'w']], 'l:\n- x\n- w\nz: 1\n'],
    [
      'a missing key after a text of lines',
      'a:\n  b: |\n    x\n\nz: 1\n',
      [['a.c', 'd']],
      'a:\n  b: |\n    x\n  c: d\n\nz: 1\n',
    ],
    ['a missing key after a null', 'a:\n  b: # none\nz: 1\n', [['a.c', 'd']], 'a:\n  b: # none\n  c: d\nz: 1\n'],
    ['a map that is null', 'a: # none\nz: 1\n', [['a.b.c', '5']], 'a: # none\n  b:\n    c: 5\nz: 1\n'],
    ['a map that is empty', 'a: {}\nz: 1\n', [['a.b.c', '5']], 'a: {b: {c: 5}}\nz: 1\n'],
    ['a list that is empty', 'a: []\n', [['a[0].b', 'x']], 'a: [{b: x}]\n'],
    [
      'a map between braces',
      'a: {b: 1}\n',
      [
        ['a.b', '2'],
        ['a.c', 'x, y'],
      ],
      "a: {b: 2, c: 'x, y'}\n",
    ],
    [
      'a list between brackets',
      'a: [1, 2]\n',
      [
        ['a[1]', '3'],
        ['a[2]', '4'],
      ],
      'a: [1, 3, 4]\n',
    ],
    [
      'lines of Windows',
      'a:\r\n  b: 1\r\nc: 2\r\n',
      [
        ['a.b', '5'],
        ['a.d', '6'],
        ['c', '7'],
      ],
      'a:\r\n  b: 5\r\n  d: 6\r\nc: 7\r\n',
    ],
    ['a key that is there twice', 'a: 1\na: 2\n', [['a', '3']], 'a: 1\na: 3\n'],
    [
      'all children',
      's:\n  x: {p: 1}\n  y: {p: 2}\n  z: {q: 3}\n',
      [['s.*.p', '9']],
      's:\n  x: {p: 9}\n  y: {p: 9}\n  z: {q: 3}\n',
    ],
    ['all items', 'l:\n- p: 1\n- p: 2\n', [['l.*.p', '9']], 'l:\n- p: 9\n- p: 9\n'],
    [
      'nothing where all children are none',
      'a: 1\n',
      [
        ['s.*.p', '9'],
        ['a.*', '9'],
      ],
      'a: 1\n',
    ],
    ['a key with a dot', 'a.b: 1\n', [['a\\.b', '2']], 'a.b: 2\n'],
    ['an anchor, which keeps its name', 'a: &x 1\nb: *x\n', [['a', '2']], 'a: &x 2\nb: *x\n'],
    ['an alias, and not what it means', 'a: &x 1\nb: *x\n', [['b', '2']], 'a: &x 1\nb: 2\n'],
    [
      'a document with its marks',
      '---\na: 1\n...\n',
      [
        ['a', '2'],
        ['b', '3'],
      ],
      '---\na: 2\nb: 3\n...\n',
    ],
    [
      'the first of several documents',
      'a: 1\n---\na: 1\n',
      [
        ['a', '2'],
        ['b', '3'],
      ],
      'a: 2\nb: 3\n---\na: 1\n',
    ],
    ['the last line without its end', 'a: 1', [['b', 'x']], 'a: 1\nb: x\n'],
    [
      'yes, which is true for most readers',
      'a: yes\nb: no\n',
      [
        ['a', 'true'],
        ['b', 'true'],
      ],
      'a: yes\nb: true\n',
    ],
  ] as const satisfies [string, string, Change[], string][]) {
    it(`writes ${what}`, () => {
      const result = rewrite('yaml', text, changes);
      expect(result).to.equal(expected);
      expect(parseAllDocuments(result, { uniqueKeys: false }).flatMap(({ errors }) => errors)).to.deep.equal([]);
    });
  }

  it('changes nothing on a condition without a matching value', () => {
    const changes: Change[] = [
      ['x', '1', '2'],
      ['a.b', '1', 'regex:.'],
      ['a', '2', 'other'],
    ];
    expect(rewrite('yaml', 'a: 1\n', changes)).to.equal('a: 1\n');
  });

  it('keeps the type of a conditionally replaced value', () => {
    expect(
      rewrite('yaml', 'a: 25565\nb: "25565"\n', [
        ['a', '1', '25565'],
        ['b', '1', '25565'],
      ]),
    ).to.equal('a: 1\nb: "1"\n');
  });

  for (const [what, text, change, reason] of [
    ['a path through a value', 'a: 1\n', ['a.b', 'x'], /single value/],
    ['a path through an alias', 'a: &x {b: 1}\nc: *x\n', ['c.b', '2'], /single value/],
    ['a value where there are several', 'a:\n  b: 1\n', ['a', 'x'], /more than one/],
    ['a later item of a list that is not there', 'a: 1\n', ['l[1].b', 'x'], /not that long/],
    ['an item far behind the end', 'l:\n- 1\n', ['l[5]', 'x'], /not that long/],
    ['an item of a map', 'a:\n  b: 1\n', ['a[0]', 'x'], /not a list/],
    ['a name in a list', 'l:\n- 1\n', ['l.b', 'x'], /is a list/],
    ['an empty name', 'a: 1\n', ['a..b', 'x'], /empty/],
    ['__proto__', 'a: 1\n', ['__proto__.b', 'x'], /not allowed/],
    ['constructor', 'a: 1\n', ['a.constructor.prototype', 'x'], /not allowed/],
    ['a path of a hundred names', 'a: 1\n', [Array(100).fill('b').join('.'), 'x'], /steps/],
  ] as const satisfies [string, string, Change, RegExp][]) {
    it(`refuses ${what}`, () => {
      expect(refusal('yaml', text, [change])).to.match(reason);
    });
  }

  it('applies the other rules when one fails', () => {
    const { content, warnings } = rewriteBytes('yaml', Buffer.from('a: 1\nb: 1\n'), [
      ['a.c', 'x'],
      ['b', '2'],
    ]);
    expect(content.toString()).to.equal('a: 1\nb: 2\n');
    expect(warnings).to.deep.equal(['a.c: a part of this path is a single value']);
  });
});
