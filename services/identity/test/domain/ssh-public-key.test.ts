import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import ssh2 from 'ssh2';
import { parseSshPublicKey, type SshPublicKey } from '../../src/domain/ssh-public-key.js';

const { utils } = ssh2;

function parsed(text: string): SshPublicKey {
  const key = parseSshPublicKey(text);
  if (typeof key === 'string') throw new Error(key);
  return key;
}

/** A usable key: ssh2 generates about one malformed Ed25519 key in two hundred. */
function generatePublic(type: 'ed25519' | 'ecdsa' | 'rsa', options: object): string {
  for (;;) {
    const pair = utils.generateKeyPairSync(type as 'ed25519', options);
    const key = utils.parseKey(pair.private);
    if (!(key instanceof Error) && Buffer.isBuffer(key.sign('probe'))) return pair.public;
  }
}

describe('parseSshPublicKey', () => {
  const supported = [
    ['ed25519', {}],
    ['ecdsa', { bits: 256 }],
    ['ecdsa', { bits: 384 }],
    ['ecdsa', { bits: 521 }],
    ['rsa', { bits: 2048 }],
    ['rsa', { bits: 3072 }],
  ] as const;
  for (const [type, options] of supported) {
    it(`accepts a key of type ${type} ${JSON.stringify(options)} that ssh2 generates`, () => {
      const text = generatePublic(type, { ...options, comment: 'ada@laptop' });
      const key = parsed(`${text}\n`);
      expect(key.comment).to.equal('ada@laptop');
      const other = utils.parseKey(text);
      if (other instanceof Error) throw other;
      const blob = Array.isArray(other) ? other[0].getPublicSSH() : other.getPublicSSH();
      expect(key.line.split(' ')[1]).to.equal(blob.toString('base64'));
    });
  }

  it('prints the fingerprint that ssh-keygen prints', function () {
    needPrograms(this, 'ssh-keygen');
    const text = generatePublic('ed25519', {});
    const printed = execFileSync('ssh-keygen', ['-lf', '-'], { input: text }).toString();
    expect(printed).to.include(parsed(text).fingerprint);
  });

  const ed25519 = generatePublic('ed25519', {}).trim();
  const [, base64 = ''] = ed25519.split(' ');
  const blob = Buffer.from(base64, 'base64');
  const line = (algorithm: string, bytes: Buffer) => `${algorithm} ${bytes.toString('base64')}`;
  const field = (bytes: Buffer | string) => {
    const content = Buffer.from(bytes as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    return Buffer.concat([length, content]);
  };
  const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const mpint = (value: string | undefined) => Buffer.concat([Buffer.alloc(1), Buffer.from(value ?? '', 'base64url')]);

  const refused: Record<string, string> = {
    nothing: '',
    'a private key': utils.generateKeyPairSync('ed25519').private,
    'two keys': `${ed25519}\n${ed25519}`,
    'options of authorized_keys': `command="sh" ${ed25519}`,
    'another type outside than inside': line('ssh-rsa', blob),
    'a truncated key': line('ssh-ed25519', blob.subarray(0, -1)),
    'bytes after the key': line('ssh-ed25519', Buffer.concat([blob, Buffer.from([0])])),
    'a field more': line('ssh-ed25519', Buffer.concat([blob, field('more')])),
    'a length beyond the end': line('ssh-ed25519', Buffer.from('ffffffff', 'hex')),
    'a DSA key': line('ssh-dss', Buffer.concat([field('ssh-dss'), field('p'), field('q'), field('g'), field('y')])),
    'an unknown type': line('ssh-new', field('ssh-new')),
    'a point that is not on its curve': line(
      'ecdsa-sha2-nistp256',
      Buffer.concat([
        field('ecdsa-sha2-nistp256'),
        field('nistp256'),
        field(Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)])),
      ]),
    ),
    'an RSA key of 1024 bits': line(
      'ssh-rsa',
      Buffer.concat([field('ssh-rsa'), field(Buffer.from([1, 0, 1])), field(mpint(weakRsa.n))]),
    ),
    'an RSA key with exponent 1': line(
      'ssh-rsa',
      Buffer.concat([
        field('ssh-rsa'),
        field(Buffer.from([1])),
        field(Buffer.concat([Buffer.alloc(1), Buffer.alloc(256, 0xff)])),
      ]),
    ),
    'unpadded base64': 'ssh-ed25519 AAA',
    '100 KiB': `ssh-ed25519 ${'A'.repeat(102_400)}`,
    'a control character in the comment': `${ed25519} a\u0007b`,
  };
  for (const [name, text] of Object.entries(refused)) {
    it(`refuses ${name}`, () => expect(parseSshPublicKey(text)).to.be.a('string'));
  }
});
