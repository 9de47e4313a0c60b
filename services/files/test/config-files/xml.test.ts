import { expect } from 'chai';
import { type Change, refusal, rewrite } from './rewriting.js';

const sevenDays = `<?xml version="1.0"?>
<ServerSettings>
\t<!-- GENERAL SERVER SETTINGS -->
\t<property name="ServerName"\t\t\t\tvalue="My Game Host"/>\t\t\t<!-- Whatever you want the name of the server to be. -->
\t<property name="ServerPort" value='26900' />
\t<property name="ServerPassword" value=""/>
</ServerSettings>
`;

describe('parser xml', () => {
  it('sets the values of a 7 Days to Die server and changes nothing else', () => {
    const changes: Change[] = [
      ["ServerSettings.property[@name='ServerName']", "[value='Tom & \"Jerry's\" <3']"],
      ["ServerSettings.property[@name='ServerPort']", "[value='27000']"],
      ["ServerSettings.property[@name='TelnetEnabled']", "[value='false']"],
    ];
    expect(rewrite('xml', sevenDays, changes)).to.equal(
      sevenDays
        .replace('"My Game Host"', '"Tom &amp; &quot;Jerry\'s&quot; &lt;3"')
        .replace("'26900'", "'27000'")
        .replace('value=""/>\n', 'value=""/>\n\t<property name="TelnetEnabled" value="false"/>\n'),
    );
  });

  for (const [what, text, changes, expected] of [
    ['an element', '<a><b>1</b></a>', [['a.b', '2 < 3 & 4']], '<a><b>2 &lt; 3 &amp; 4</b></a>'],
    ['all elements of the name', '<a><b>1</b><b>2</b></a>', [['a.b', '3']], '<a><b>3</b><b>3</b></a>'],
    [
      'an empty element',
      '<a><b/><c></c></a>',
      [
        ['a.b', 'x'],
        ['a.c', 'y'],
      ],
      '<a><b>x</b><c>y</c></a>',
    ],
    ['an empty value', '<a><b>1</b></a>', [['a.b', '']], '<a><b></b></a>'],
    ['CDATA', '<a><b><![CDATA[1]]></b></a>', [['a.b', '2']], '<a><b>2</b></a>'],
    [
      'an attribute',
      '<a x="1" y = \'2\'/>',
      [
        ['a', "[y='3']"],
        ['a', "[x='4']"],
      ],
      '<a x="4" y = \'3\'/>',
    ],
    ['a new attribute', '<a><b x="1" /></a>', [['a.b', "[y='2']"]], '<a><b x="1" y="2" /></a>'],
    ['an attribute whose name ends like another', '<a ax="1" x="2"/>', [['a', "[x='3']"]], '<a ax="1" x="3"/>'],
    ['an attribute with a sign that ends tags', '<a x=">" y="1"/>', [['a', "[y='2']"]], '<a x=">" y="2"/>'],
    ['line breaks in an attribute', '<a x="1"/>', [['a', "[x='b\nc']"]], '<a x="b&#10;c"/>'],
    ['a missing element', '<a>\n  <b>1</b>\n</a>\n', [['a.c', 'x']], '<a>\n  <b>1</b>\n  <c>x</c>\n</a>\n'],
    [
      'missing elements',
      '<a>\n    <b/>\n</a>\n',
      [['a.b.c.d', 'x']],
      '<a>\n    <b>\n        <c>\n            <d>x</d>\n        </c>\n    </b>\n</a>\n',
    ],
    ['missing elements in an empty root', '<a></a>', [['a.b', 'x']], '<a>\n  <b>x</b>\n</a>'],
    [
      'an empty file',
      '',
      [
        ['a.b', 'x'],
        ['a.c', "[v='y']"],
      ],
      '<?xml version="1.0" encoding="utf-8"?>\n<a>\n  <b>x</b>\n  <c v="y"/>\n</a>\n',
    ],
    [
      'all below, which makes nothing',
      '<a><x><b>1</b></x><y><b>2</b></y><z/></a>',
      [
        ['a.*.b', '3'],
        ['a.*.q', 'x'],
      ],
      '<a><x><b>3</b></x><y><b>3</b></y><z/></a>',
    ],
    [
      'lines of Windows',
      '<a>\r\n <b>1</b>\r\n</a>\r\n',
      [
        ['a.b', '2'],
        ['a.c', '3'],
      ],
      '<a>\r\n <b>2</b>\r\n <c>3</c>\r\n</a>\r\n',
    ],
    [
      'a document with a type and characters of many bytes',
      '<!DOCTYPE a>\n<!-- é 😀 --><a><b>😀</b><c>1</c></a>',
      [['a.c', 'ü']],
      '<!DOCTYPE a>\n<!-- é 😀 --><a><b>😀</b><c>ü</c></a>',
    ],
    [
      'a name with a namespace',
      '<n:a xmlns:n="u"><n:b>1</n:b></n:a>',
      [['n:a.n:b', '2']],
      '<n:a xmlns:n="u"><n:b>2</n:b></n:a>',
    ],
  ] as const satisfies [string, string, Change[], string][]) {
    it(`sets values in ${what}`, () => {
      expect(rewrite('xml', text, changes)).to.equal(expected);
    });
  }

  it('replaces on a condition only an existing value that matches', () => {
    const changes: Change[] = [
      ['a.b', '2', '1'],
      ['a.c', '2', '1'],
      ['a.b', "[x='$1!']", 'regex:^(.)$'],
      ['a.d', '2', ''],
    ];
    const text = '<a><b x="q">1</b><c>5</c></a>';
    expect(refusal('xml', '<a><c>5</c></a>', changes)).to.equal('');
    expect(rewrite('xml', text, changes)).to.equal('<a><b x="q!">2</b><c>5</c></a>');
  });

  it('leaves an equal value in another spelling unchanged', () => {
    const text = '<a><b>&#120;&amp;</b><c v="&lt;"/></a>';
    expect(
      rewrite('xml', text, [
        ['a.b', 'x&'],
        ['a.c', "[v='<']"],
      ]),
    ).to.equal(text);
  });

  it('refuses values that would add attributes or elements', () => {
    expect(rewrite('xml', '<a><b v=""/></a>', [['a.b', "[v='x' admin='true']"]])).to.equal(
      '<a><b v="x\' admin=\'true"/></a>',
    );
    expect(rewrite('xml', '<a><b/></a>', [['a.b', '</b><admin/><b>']])).to.equal(
      '<a><b>&lt;/b&gt;&lt;admin/&gt;&lt;b&gt;</b></a>',
    );
  });

  for (const [what, text, change, reason] of [
    ['an element that holds others', '<a><b/></a>', ['a', 'x'], /elements at this place/],
    ['another root', '<a/>', ['b.c', 'x'], /root/],
    ['a path that is none', '<a/>', ['a.b c', 'x'], /no path/],
    ['a path that is nothing', '<a/>', ['a..b', 'x'], /no path/],
    ['a path that would add more', '<a/>', ['a.b/><c', 'x'], /no path/],
    ['characters that XML does not have', '<a><b/></a>', ['a.b', '\u0001'], /cannot be written/],
  ] as const satisfies [string, string, Change, RegExp][]) {
    it(`refuses ${what}`, () => {
      expect(refusal('xml', text, [change])).to.match(reason);
    });
  }
});
