import { expect } from 'chai';
import { parseImageReference } from '../../src/text/image-reference.js';
import { processorMs } from '../../src/testing/index.js';

describe('image reference', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const good: [string, string][] = [
    ['alpine', 'alpine:latest'],
    ['ghcr.io/pterodactyl/yolks:java_21', 'ghcr.io/pterodactyl/yolks:java_21'],
    ['localhost:5000/a/b__c/d-e:T.1-x', 'localhost:5000/a/b__c/d-e:T.1-x'],
    ['quay.io/a/b:tag@' + digest, `quay.io/a/b@${digest}`],
    ['[::1]:5000/a', '[::1]:5000/a:latest'],
    ['~local/image:1', 'local/image:1'],
  ];
  for (const [text, reference] of good) {
    it(`accepts ${text}`, () => {
      expect(parseImageReference(text)?.reference).to.equal(reference);
    });
  }

  const bad = [
    '',
    '~',
    '~~a',
    'A',
    'a b',
    'a:',
    'a:b:c',
    '../a',
    'a//b',
    '/a',
    'a/',
    'a@sha256:zz',
    'a;id',
    '$(id)',
    'a\nb',
    '-a',
  ];
  bad.push('http://x/y', 'a'.repeat(256), 'a?tag=b', 'a&b', 'a#b', `a:${'x'.repeat(129)}`, '_a', 'a/.b', 'ä');
  for (const text of bad) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(parseImageReference(text)).to.equal(null);
    });
  }

  for (const [text, registry] of [
    ['alpine', 'docker.io'],
    ['library/alpine:3', 'docker.io'],
    ['docker.io/owner/game', 'docker.io'],
    ['index.docker.io/owner/game', 'docker.io'],
    ['ghcr.io/owner/game:1', 'ghcr.io'],
    ['GHCR.io/owner/game:1', 'ghcr.io'],
    ['Host/game', 'host'],
    ['localhost/game', 'localhost'],
    ['registry:5000/game', 'registry:5000'],
    ['[::1]:5000/game', '[::1]:5000'],
    ['docker.io.example.com/game', 'docker.io.example.com'],
    [`~quay.io/a/b@${digest}`, 'quay.io'],
  ] as const) {
    it(`finds the registry of ${text}`, () => {
      expect(parseImageReference(text)?.registry).to.equal(registry);
    });
  }

  it('recognises an image reference as local or pinned', () => {
    expect(parseImageReference('~a')).to.include({ isLocal: true, isPinned: false });
    expect(parseImageReference(`a@${digest}`)).to.include({ isLocal: false, isPinned: true, version: digest });
  });

  it('parses an image reference in linear time', () => {
    const begin = processorMs();
    for (const text of ['a-'.repeat(270), 'a.'.repeat(270), 'a_'.repeat(270), 'a/'.repeat(270)]) {
      expect(parseImageReference(text)).to.equal(null);
    }
    expect(processorMs() - begin).to.be.below(500);
  });
});
