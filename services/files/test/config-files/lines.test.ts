import { expect } from 'chai';
import { refusal, rewrite, rewriteBytes } from './rewriting.js';

describe('parser file', () => {
  it('replaces the whole line that starts with the key', () => {
    const text = '# bind =\n  bind = indented\nbind = "0.0.0.0:25577"\nmotd = "x"\n';
    expect(rewrite('file', text, [['bind = ', 'bind = "0.0.0.0:7777"']])).to.equal(
      '# bind =\n  bind = indented\nbind = "0.0.0.0:7777"\nmotd = "x"\n',
    );
  });

  it('replaces every such line and adds none', () => {
    expect(
      rewrite('file', 'sv_port 1\nsv_port 2\n', [
        ['sv_port', 'sv_port 8303'],
        ['sv_name', 'sv_name x'],
      ]),
    ).to.equal('sv_port 8303\nsv_port 8303\n');
  });

  it('treats regular expression characters in keys literally', () => {
    expect(rewrite('file', 'a.b=1\naxb=1\n', [['a.b', 'a.b=$1 $& \\n']])).to.equal('a.b=$1 $& \\n\naxb=1\n');
  });

  it('applies the longest matching key to a line, in any order of rules', () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const changes = [['map', 'map de_dust'] as const, ['map_name', 'map_name x'] as const];
      expect(
        rewrite(
          'file',
          'map_name old\nmap old\n',
          order.flatMap((at) => (changes[at] ? [changes[at]] : [])),
        ),
      ).to.equal('map_name x\nmap de_dust\n');
    }
  });

  it('keeps the end of every line', () => {
    expect(rewrite('file', 'a=1\r\nb=2\nc=3', [['a=', 'a=5\nx']])).to.equal('a=5\r\nx\r\nb=2\nc=3');
    expect(rewrite('file', 'a=1\r\nc=3', [['c=', 'c=5\nd=6']])).to.equal('a=1\r\nc=5\r\nd=6');
    expect(rewrite('file', 'a=5\r\nx\r\nb', [['a=', 'a=5\nx']])).to.equal('a=5\r\nx\r\nb');
  });

  it('replaces no line of a longer key', () => {
    const text = 'map a\nmap_name b\nmaps c\nmap2 d\nmap=e\n';
    expect(rewrite('file', text, [['map', 'map x']])).to.equal('map x\nmap_name b\nmaps c\nmap2 d\nmap x\n');
    expect(rewrite('file', 'bind = 1\n', [['bind = ', 'bind = 2']])).to.equal('bind = 2\n');
  });

  it('writes a multi-line value once', () => {
    expect(rewrite('file', 'a=1\nz\n', [['a=', 'a=2\nb=3']])).to.equal('a=2\nb=3\nz\n');
  });

  it('replaces a line, or a part of it, on a condition', () => {
    const text = 'host localhost:1\nhost example.com\n';
    expect(rewrite('file', text, [['host', 'host 10.0.0.1', 'host example.com']])).to.equal(
      'host localhost:1\nhost 10.0.0.1\n',
    );
    expect(rewrite('file', text, [['host', '10.0.0.1$1', 'regex:localhost(:\\d+)']])).to.equal(
      'host 10.0.0.1:1\nhost example.com\n',
    );
  });

  it('keeps bytes that are not text', () => {
    const old = Buffer.concat([Buffer.from('motd=\xa7aold\n', 'latin1'), Buffer.from('port=1\n')]);
    const { content } = rewriteBytes('file', old, [['port', 'port=2é']]);
    expect(content).to.deep.equal(Buffer.concat([Buffer.from('motd=\xa7aold\n', 'latin1'), Buffer.from('port=2é\n')]));
  });

  it('changes nothing in an empty file', () => {
    expect(rewrite('file', '', [['a', 'b']])).to.equal('');
  });

  it('replaces every line that no other key starts, with an empty key', () => {
    expect(rewrite('file', 'eula=false\n', [['', 'eula=true']])).to.equal('eula=true\n');
    const rules: [string, string][] = [
      ['', 'x'],
      ['b', 'b=2'],
    ];
    expect(rewrite('file', 'a\nb=1\n', rules)).to.equal('x\nb=2\n');
  });

  it('refuses a blank key', () => {
    expect(refusal('file', 'a\nb\n', [[' ', 'x']])).to.match(/empty/);
  });

  it('applies the other rules when one expression is invalid', () => {
    const { content, warnings } = rewriteBytes('file', Buffer.from('a=1\nb=1\n'), [
      ['a', 'x', 'regex:('],
      ['b', 'b=2'],
    ]);
    expect(content.toString()).to.equal('a=1\nb=2\n');
    expect(warnings).to.have.length(1);
  });
});
