import { expect } from 'chai';
import { parseImageReference } from '../src/image-reference.js';
import { toShell } from '../src/startup.js';
import { reasonOf } from '@panel/kit/testing';

describe('startup command', () => {
  const cases: [string, string][] = [
    ['java -Xmx{{SERVER_MEMORY}}M -jar {{ SERVER_JARFILE }}', 'java -Xmx${SERVER_MEMORY}M -jar ${SERVER_JARFILE}'],
    ['${ALREADY} $(date)', '${ALREADY} $(date)'],
    ['[[ {{A}} == 1 ]] && x {{B}}', '[[ ${A} == 1 ]] && x ${B}'],
    ['$( [[ {{CROSSPLAY}} -eq 1 ]] && echo " -crossplay ")', '$( [[ ${CROSSPLAY} -eq 1 ]] && echo " -crossplay ")'],
    ['run {{server_name}} ${local}', 'run ${SERVER_NAME} ${local}'],
    ['{{}} {{1X}} {{A-B}} {{A.B}} {{$(id)}}', '{{}} {{1X}} {{A-B}} {{A.B}} {{$(id)}}'],
    ['{{A}}{{B}}', '${A}${B}'],
    ['{{{A}}}', '{${A}}'],
    ['[[ never closed {{A}}', '[[ never closed ${A}'],
  ];
  for (const [startup, shell] of cases) {
    it(`renders ${startup} as ${shell}`, () => {
      expect(toShell(startup)).to.equal(shell);
    });
  }

  it('parses a startup command in linear time', () => {
    const begin = performance.now();
    toShell('{{'.repeat(30_000));
    toShell('[['.repeat(30_000));
    expect(performance.now() - begin).to.be.below(2000);
  });
});

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
      expect(parseImageReference(text).reference).to.equal(reference);
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
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, async () => {
      expect(await reasonOf((async () => parseImageReference(text))())).to.equal('INVALID_IMAGE');
    });
  }

  it('recognises an image reference as local or pinned', () => {
    expect(parseImageReference('~a')).to.include({ isLocal: true, isPinned: false });
    expect(parseImageReference(`a@${digest}`)).to.include({ isLocal: false, isPinned: true, version: digest });
  });

  it('parses an image reference in linear time', () => {
    const begin = performance.now();
    for (const text of ['a-'.repeat(270), 'a.'.repeat(270), 'a_'.repeat(270), 'a/'.repeat(270)]) {
      expect(() => parseImageReference(text)).to.throw();
    }
    expect(performance.now() - begin).to.be.below(500);
  });
});
