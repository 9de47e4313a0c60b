import { expect } from 'chai';
import { visibleName } from '../../src/domain/visible-name.js';

describe('visibleName', () => {
  for (const name of [
    'Ada Lovelace',
    'Survival 1.20.1',
    'Mr. Smith',
    'Wait... what?',
    'raid at 12:30',
    'a/ b',
    'König & Söhne',
    'آدا لوفليس',
    '艾达',
    'می\u200cخواهم',
    '👩\u200d🚀 crew',
    '4.99',
    'Hello. (again.)',
  ]) {
    it(`leaves ${JSON.stringify(name)} as it is`, () => {
      expect(visibleName(name)).to.equal(name);
    });
  }

  for (const [name, visible] of [
    ['evil.example', 'evil. example'],
    ['www.evil.example', 'www. evil. example'],
    ['https://evil.example/x?y=1', 'https: / / evil. example/ x?y=1'],
    ['HTTP://EVIL.EXAMPLE', 'HTTP: / / EVIL. EXAMPLE'],
    ['//evil.example', '/ / evil. example'],
    ['\\\\evil.example\\share', '\\ \\ evil. example\\ share'],
    ['javascript:alert(1)', 'javascript: alert(1)'],
    ['mailto:eve', 'mailto: eve'],
    ['tel:110', 'tel: 110'],
    ['eve@evil.example', 'eve@ evil. example'],
    ['evil.xn--p1ai', 'evil. xn--p1ai'],
    ['пример.рф', 'пример. рф'],
    ['evil。example', 'evil。 example'],
    ['evil．example', 'evil． example'],
    ['evil\u2024example', 'evil\u2024 example'],
    ['http://127.0.0.1:80/', 'http: / / 127.0.0.1:80/'],
    ['http://[::1]/', 'http: / / [: : 1]/'],
    ['evil.\u2060example', 'evil. example'],
    ['evil.\u200dexample', 'evil. \u200dexample'],
    ['evil.\u00adexample', 'evil. example'],
    ['evil\u200b.example', 'evil. example'],
    ['ada\u202egpj.exe', 'adagpj. exe'],
    ['\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061cada', 'ada'],
    ['\ufeffada', 'ada'],
    ['ada\r\nBcc: eve@evil.example', 'ada Bcc: eve@ evil. example'],
    ['ada\u2028\u2029\u0085\u0000bob', 'ada bob'],
    ['ada\ud800', 'ada'],
    ['<a href="//evil.example">', '<a href="/ / evil. example">'],
  ] as const) {
    it(`shows ${JSON.stringify(name)} as ${JSON.stringify(visible)}`, () => {
      expect(visibleName(name)).to.equal(visible);
      expect(visibleName(visible)).to.equal(visible);
    });
  }
});
