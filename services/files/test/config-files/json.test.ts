import { expect } from 'chai';
import { type Change, refusal, rewrite } from './rewriting.js';

describe('parser json', () => {
  it('sets the values of a Factorio server and changes nothing else', () => {
    const text = `{
  "name": "Name of the game",
  "_comment_max_players": "Maximum number of players allowed, 0 means unlimited",
  "max_players": 0,
  "visibility": { "public": true, "lan": true },
  "token": "",
  "autosave_interval": 10,
  "seed": 9007199254740993
}
`;
    const changes: Change[] = [
      ['name', 'Äpfel "&" 12'],
      ['max_players', '32'],
      ['visibility.public', 'false'],
      ['token', '0123'],
      ['afk_autokick_interval', '5'],
    ];
    expect(rewrite('json', text, changes)).to.equal(
      text
        .replace('"Name of the game"', '"Äpfel \\"&\\" 12"')
        .replace('"max_players": 0', '"max_players": 32')
        .replace('"public": true', '"public": false')
        .replace('"token": ""', '"token": "0123"')
        .replace('9007199254740993\n', '9007199254740993,\n  "afk_autokick_interval": 5\n'),
    );
  });

  for (const [what, text, changes, expected] of [
    [
      'an empty file',
      '',
      [
        ['a.b[0].c', '1'],
        ['a.d', 'x'],
      ],
      '{\n  "a": {\n    "b": [\n      {\n        "c": 1\n      }\n    ],\n    "d": "x"\n  }\n}\n',
    ],
    ['an empty object', '{}', [['a', 'x']], '{\n  "a": "x"\n}'],
    ['an empty list where a map should be, as PHP writes it', '{"a": []}', [['a.b', 'x']], '{"a": {\n  "b": "x"\n}}'],
    [
      'one line',
      '{"a":1}',
      [
        ['b', 'x'],
        ['a', '2'],
      ],
      '{"a":2, "b": "x"}',
    ],
    [
      'tabs',
      '{\n\t"a": {\n\t\t"b": 1\n\t}\n}',
      [['a.c.d', 'x']],
      '{\n\t"a": {\n\t\t"b": 1,\n\t\t"c": {\n\t\t\t"d": "x"\n\t\t}\n\t}\n}',
    ],
    [
      'comments and a trailing comma',
      '{\n  // port\n  "a": 1, /* x */\n}\n',
      [
        ['a', '2'],
        ['b', '3'],
      ],
      '{\n  // port\n  "a": 2,\n  "b": 3, /* x */\n}\n',
    ],
    [
      'null',
      '{"a": null, "b": null}',
      [
        ['a', '5'],
        ['b', 'x'],
      ],
      '{"a": 5, "b": "x"}',
    ],
    [
      'a version, which is no number',
      '{"a": null, "b": 1.5}',
      [
        ['a', '1.20'],
        ['b', '1.20'],
      ],
      '{"a": "1.20", "b": 1.20}',
    ],
    [
      'a flag',
      '{"a": true, "b": "true"}',
      [
        ['a', '0'],
        ['b', 'false'],
      ],
      '{"a": false, "b": "false"}',
    ],
    [
      'what the egg has as a flag or number',
      '{"a": "x", "b": "y"}',
      [
        ['a', true],
        ['b', 5],
      ],
      '{"a": true, "b": 5}',
    ],
    [
      'digits beyond any number',
      '{"a": 1}',
      [['a', '123456789012345678901234567890']],
      '{"a": 123456789012345678901234567890}',
    ],
    [
      'the last digit of a number that no float holds',
      '{"a": 12345678901234567890}',
      [['a', '12345678901234567891']],
      '{"a": 12345678901234567891}',
    ],
    [
      'the next item',
      '{"a": [1]}',
      [
        ['a[1]', '2'],
        ['a.2', '3'],
      ],
      '{"a": [1, 2, 3]}',
    ],
    ['an item by its number as a name', '{"a": [{"b": 1}]}', [['a.0.b', '2']], '{"a": [{"b": 2}]}'],
    [
      'all children',
      '{"a": {"x": {"p": 1}, "y": {"p": "2"}, "z": 3}}',
      [['a.*.p', '9']],
      '{"a": {"x": {"p": 9}, "y": {"p": "9"}, "z": 3}}',
    ],
    ['what must be escaped', '{"a": ""}', [['a', '\u0001\n"\\ {{x}} $1']], '{"a": "\\u0001\\n\\"\\\\ {{x}} $1"}'],
    ['the last of a key that is there twice', '{"a": 1, "a": 2}', [['a', '3']], '{"a": 1, "a": 3}'],
    ['a list at the top', '[{"a": 1}]', [['[0].a', '2']], '[{"a": 2}]'],
    ['lines of Windows', '{\r\n  "a": 1\r\n}\r\n', [['b', 'x']], '{\r\n  "a": 1,\r\n  "b": "x"\r\n}\r\n'],
  ] as const satisfies [string, string, Change[], string][]) {
    it(`sets values in ${what}`, () => {
      expect(rewrite('json', text, changes)).to.equal(expected);
    });
  }

  it('leaves an equal value in another spelling unchanged', () => {
    const text = '{ "\\u0061" : "\\u0062", "n": -0, "e": 1.50 }';
    expect(
      rewrite('json', text, [
        ['a', 'b'],
        ['n', '0'],
        ['e', '1.5'],
      ]),
    ).to.equal(text);
  });

  it('refuses reserved JavaScript property names and leaves the document unchanged', () => {
    expect(
      refusal('json', '{"a": 1}', [
        ['__proto__.isAdmin', true],
        ['a.prototype', 'x'],
      ]),
    ).to.match(/not allowed/);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).to.equal(false);
  });

  it('keeps existing keys with such names', () => {
    const text = '{"__proto__": {"x": 1}, "constructor": 2, "a": 1}';
    expect(rewrite('json', text, [['a', '2']])).to.equal(text.replace('"a": 1', '"a": 2'));
  });
});
