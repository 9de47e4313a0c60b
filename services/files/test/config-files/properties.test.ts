import { expect } from 'chai';
import { type Change, rewrite, rewriteBytes } from './rewriting.js';

const minecraft = `#Minecraft server properties
#Tue Jan 02 03:04:05 UTC 2024
enable-jmx-monitoring=false
level-seed=
# set by hand
motd=A Minecraft Server
query.port=25565
server-ip=

server-port=25565
level-type=minecraft\\:normal
`;

const bedrock = `server-name=Dedicated Server
# Used as the server name
# Allowed values: Any string without semicolon symbol.

gamemode=survival
# Sets the game mode for new players.
# Allowed values: "survival", "creative", or "adventure"

force-gamemode=false
# force-gamemode=false (or force-gamemode  is not defined in the server.properties)
# prevents the server from sending to the client gamemode values other
# than the gamemode value saved by the server during world creation
# even if those values are set in server.properties after world creation.

server-port=19132
# Which IPv4 port the server should listen to.
# Allowed values: Integers in the range [1, 65535]
`;

describe('parser properties', () => {
  const motd = [['motd', '\u00a7bHä 世']] as const satisfies Change[];
  const raw = 'motd=\u00a7bHä 世\n';
  const escapes = String.raw`motd=\u00a7bH\u00e4 \u4e16` + '\n';

  it('writes other characters as they are into a fresh file of Minecraft Bedrock, which shows \\u00a7 literally', () => {
    expect(rewrite('properties', bedrock, [['server-name', '§aWelt']])).to.equal(
      bedrock.replace('server-name=Dedicated Server', 'server-name=§aWelt'),
    );
  });

  it("writes other characters escaped into a fresh file of Minecraft Java, which old versions read in Java's way", () => {
    expect(rewrite('properties', minecraft, motd)).to.equal(minecraft.replace('motd=A Minecraft Server\n', escapes));
  });

  for (const [what, head] of [
    ['the header of Minecraft Java', '#Minecraft server properties\n'],
    ['the date that Java writes', '#Thu Nov 26 10:00:00 UTC 2026\n'],
    ['a date of Java with an offset, and lines of Windows', '# x\r\n#Thu Nov 26 10:00:00 GMT+01:00 2026\r\n'],
    ['an escape', 'name=\\u00e4\n'],
    ['an escape behind an escaped backslash', 'name=\\\\\\u00e4\n'],
  ] as const) {
    it(`writes other characters escaped where the file has ${what}`, () => {
      expect(rewrite('properties', `${head}motd=x\n`, motd)).to.equal(head + escapes);
    });
  }

  for (const [what, head] of [
    ['other characters as they are', 'server-name=\u00a7aWelt\n'],
    ['them and the header of Minecraft Java, as it is since 1.20', '#Minecraft server properties\nname=ä\n'],
    ['nothing that tells', ''],
    ['them in a comment only', '# \u00e4 in a note\n'],
    ['an escape in a comment only', '# \\u00e4 in a note\n'],
    ['an escaped backslash before a u', 'path=C:\\\\uabcd\n'],
  ] as const) {
    it(`writes other characters as they are where the file has ${what}`, () => {
      expect(rewrite('properties', `${head}motd=x\n`, motd)).to.equal(head + raw);
    });
  }

  it('writes other characters as bytes into a Latin-1 file, and escaped beyond those', () => {
    const latin = rewriteBytes('properties', Buffer.from('name=\u00e4\nmotd=x\n', 'latin1'), motd);
    expect(latin.content.toString('latin1')).to.equal('name=\u00e4\nmotd=\u00a7bH\u00e4 \\u4e16\n');
  });

  it('sets the values of a Minecraft server and keeps the order of all other lines', () => {
    const text = rewrite('properties', minecraft, [
      ['server-ip', '0.0.0.0'],
      ['server-port', '25570'],
      ['query.port', '25570'],
      ['enable-rcon', false],
    ]);
    expect(text).to.equal(
      `${minecraft
        .replace('server-ip=', 'server-ip=0.0.0.0')
        .replace('server-port=25565', 'server-port=25570')
        .replace('query.port=25565', 'query.port=25570')}enable-rcon=false\n`,
    );
  });

  it('leaves an equal value in another spelling unchanged', () => {
    for (const same of ['a = 1\n', 'a:1\n', 'a 1', ' \ta\t=\t1', '\\u0061=\\u0031\n', 'a=\\\n   1\n', '\\a=1\r\n']) {
      expect(rewrite('properties', same, [['a', '1']])).to.equal(same);
    }
  });

  for (const [what, text, changes, expected] of [
    ['an empty file', '', [['a', 'b']], 'a=b\n'],
    ['a file whose last line does not end', 'x=1', [['a', 'b']], 'x=1\na=b\n'],
    [
      'lines of Windows',
      'x=1\r\ny=2\r\n',
      [
        ['x', '2'],
        ['a', 'b'],
      ],
      'x=2\r\ny=2\r\na=b\r\n',
    ],
    ['a value over several lines', 'x=1, \\\n  2, \\\n  3\ny=2\n', [['x', '4']], 'x=4\ny=2\n'],
    ['a backslash that does not go on', 'x=1\\\\\ny=2\n', [['y', '3']], 'x=1\\\\\ny=3\n'],
    ['a comment that does not go on', '# x \\\nx=1\n', [['x', '2']], '# x \\\nx=2\n'],
    ['both kinds of comments', '! no=1\n #no=2\n', [['no', '3']], '! no=1\n #no=2\nno=3\n'],
    ['a key that is there twice', 'a=1\nb=2\na=3\n', [['a', '4']], 'a=4\nb=2\na=4\n'],
    ['a key with a separator in it', 'a\\:b=1\n', [['a:b', '2']], 'a\\:b=2\n'],
    ['a key without a value', 'a\n', [['a', '2']], 'a=2\n'],
    ['what is beyond 16 bits', 'm=x\nn=\\u0061\n', [['m', '😀']], 'm=\\ud83d\\ude00\nn=\\u0061\n'],
    ['what must be escaped', 'm=x\n', [['m', ' a\\b=c:d#e\n\tf']], 'm=\\ a\\\\b=c:d#e\\n\\tf\n'],
    ['dollar signs', 'm=x\n', [['m', '$1 $& $$']], 'm=$1 $& $$\n'],
    ['a file whose last line goes on', 'x=1\\', [['a', 'b']], 'x=1\\\n\na=b\n'],
    ['an empty value', 'a=1\n', [['a', '']], 'a=\n'],
    ['a broken escape', 'a=\\u12 \n', [['b', '1']], 'a=\\u12 \nb=1\n'],
  ] as const satisfies [string, string, Change[], string][]) {
    it(`sets values in ${what}`, () => {
      expect(rewrite('properties', text, changes)).to.equal(expected);
    });
  }

  it('replaces on a condition only an existing value that matches', () => {
    const text = 'a=1\nb=1\nhost=localhost:5\n';
    const changes: Change[] = [
      ['a', '2', '1'],
      ['b', '2', '0'],
      ['c', '2', ''],
      ['host', '10.0.0.1', 'regex:^localhost'],
    ];
    expect(rewrite('properties', text, changes)).to.equal('a=2\nb=1\nhost=10.0.0.1:5\n');
  });

  it('refuses values that would add a line', () => {
    expect(
      rewrite('properties', '', [
        ['motd', 'x\nop-permission-level=4'],
        ['level', 'a\r\nb'],
      ]),
    ).to.equal('motd=x\\nop-permission-level=4\nlevel=a\\r\\nb\n');
  });

  it('writes serverconfig.txt of Terraria, which is not a Java properties file', () => {
    const text =
      '#this is an example config file\nworld=/old.wld\n#difficulty=1\nport=7777\nmaxplayers=8\nmotd=Please don’t cut the purple trees!\n';
    expect(
      rewrite('properties', text, [
        ['worldpath', '/home/container/saves/Worlds'],
        ['world', '/home/container/saves/Worlds/world.wld'],
        ['difficulty', '2'],
        ['port', '7790'],
        ['password', ''],
      ]),
    ).to.equal(
      '#this is an example config file\nworld=/home/container/saves/Worlds/world.wld\n#difficulty=1\nport=7790\nmaxplayers=8\nmotd=Please don’t cut the purple trees!\nworldpath=/home/container/saves/Worlds\ndifficulty=2\npassword=\n',
    );
  });

  it('keeps the bytes of a Latin-1 file', () => {
    const old = Buffer.from('motd=\xa7aold\nport=1\n', 'latin1');
    expect(
      rewriteBytes('properties', old, [
        ['port', '2'],
        ['motd', '§aold'],
      ]).content,
    ).to.deep.equal(Buffer.from('motd=\xa7aold\nport=2\n', 'latin1'));
  });
});
