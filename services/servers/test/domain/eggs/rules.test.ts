import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { compileRules, splitRules } from '../../../src/domain/eggs/rules.js';

/** rules, valid values, invalid values */
const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['required|string|max:5', ['a', 'abcde', '12345', 'äöüßé'], ['', '  ', 'abcdef']],
  ['nullable|string|max:5', ['', 'abc'], ['abcdef']],
  ['max:30', ['', 'x'.repeat(30)], ['x'.repeat(31)]],
  ['required|numeric|max:65535', ['65535', '1e3', '-1', '.5', '0.5'], ['65536', 'abc', '0x10', '1,5']],
  ['required|integer|between:1024,65535', ['1024', '65535', '+2000'], ['1023', '65536', '1024.5', '02000', 'port']],
  ['required|string|between:3,15', ['abc', '1234'], ['ab', 'x'.repeat(16)]],
  ['required|int|between:10,900', ['10', '900'], ['9', '901', '10.5', '100000000000']],
  ['filled|string', ['a'], ['', ' ']],
  ['required|string|size:2', ['🎮🎮', 'ab'], ['🎮', 'abc']],
  ['regex:/^a$/m', ['a', 'b\na'], ['ab']],
  ['regex:/^a.b$/s', ['a\nb', 'a-b'], ['ab']],
  ['regex:/^a.b$/', ['a-b'], ['a\nb']],
  ['regex:#^https?://[a-z]+$#iuD|max:20', ['http://A', 'https://b'], ['ftp://a', `http://${'a'.repeat(20)}`]],
  ['not_regex:/^root$/', ['user'], ['root']],
  ['starts_with:a,b', ['ax', 'b'], ['c']],
  ['ipv4', ['1.2.3.4'], ['::1', '1.2.3']],
  ['ipv6', ['::1'], ['1.2.3.4']],
  ['ip', ['::1', '1.2.3.4'], ['host']],
  ['email', ['a@b.co'], ['a@', '@b', 'a b@c']],
  ['uuid', ['8a7e2b8e-1111-4222-8333-444444444444'], ['8a7e2b8e']],
  ['alpha', ['abcé'], ['a1']],
  ['lowercase', ['ab1'], ['aB']],
  ['uppercase', ['AB1'], ['aB']],
  ['integer|gte:2|lte:4', ['2', '4'], ['1', '5']],
  ['integer|lt:3', ['2'], ['3']],
  ['required|int', ['0', '-7'], ['', '1e3', 'NaN', '99999999999999999999']],
  ['required|boolean', ['1', '0'], ['true', 'false', '2', '']],
  ['required|string|in:true,false', ['true', 'false'], ['1', 'True', 'true,false']],
  ['nullable|string|in:,beta', ['', 'beta'], ['alpha']],
  ['in:"a,b",c,"say ""hi"""', ['a,b', 'c', 'say "hi"'], ['a', 'b']],
  ['not_in:root,admin', ['user'], ['root']],
  ['required|digits_between:1,3', ['1', '999'], ['1000', '-1', '1.5']],
  ['digits:4', ['0000'], ['000', '00000']],
  ['required|alpha_num|size:4', ['ab12', 'ßä12'], ['ab1', 'ab-1']],
  ['alpha_dash|between:1,100', ['a-b_c', 'é'], ['a b', 'a.b']],
  ['nullable|url', ['', 'https://a.example/x?y=1', 'steam://run'], ['a.example', 'http://', 'javascript:alert(1)']],
  ['required|integer|gt:0', ['1'], ['0', '-1']],
  ['ends_with:.jar,.zip', ['a.jar', 'a.zip'], ['a.jar.txt']],
  ['required|regex:/^([\\w\\d._-]+)(\\.jar)$/', ['server.jar', 'a-b_1.2.jar'], ['server.jarx', '../x.jar', 'a.jar\n']],
  ['nullable|regex:([a-z-0-9]+$)', ['abc-1'], ['ABC!']],
  ['regex:/^(a|b)$/i|max:3', ['a', 'B'], ['c', 'ab']],
  ['required|string|', ['x'], ['']],
  ['present', [''], []],
  ['required|integer|max:76561202255233023', ['76561202255233023', '-1'], ['76561202255233024', '76561202255233025']],
  ['required|numeric|gt:9007199254740992', ['9007199254740993', '9007199254740992.5e1'], ['9007199254740992', '1']],
  ['required|integer|size:9007199254740993', ['9007199254740993', '+9007199254740993'], ['9007199254740992']],
  ['required|numeric|digits_between:1,100', ['1', '1'.repeat(100)], ['1'.repeat(101), '-1', '']],
  ['required|numeric|between:0.1,64', ['0.1', '64', '6.4e1'], ['0.09', '64.01', '-1']],
  ['required|numeric|between:-1,255', ['-1', '255'], ['-1.1', '256']],
  // empty values need permission by the rules
  ['boolean', ['0', '1'], ['', ' ']],
  ['in:TRUE,FALSE', ['TRUE'], ['', 'true']],
  ['integer|between:1024,65535', ['1024'], ['']],
  ['alpha_dash|between:1,100', ['a'], ['']],
  ['regex:/^[\\w.-]*$/|max:64', ['', 'a'], ['/']],
  ['string|min:3', ['abc'], ['', 'ab']],
  ['string|max:20', ['', 'x'.repeat(20)], ['x'.repeat(21)]],
  ['nullable|boolean', ['', '1'], ['2']],
  ['string|nullable|in:public,experimental', ['', 'public'], ['beta']],
];

describe('variable rules', () => {
  for (const [text, good, bad] of table) {
    it(`keeps the meaning of ${JSON.stringify(text)}`, () => {
      const rules = compileRules(splitRules(text));
      expect(rules.unknown).to.deep.equal([]);
      expect(rules.broken).to.deep.equal([]);
      for (const value of good) expect(rules.check(value), JSON.stringify(value)).to.deep.equal([]);
      for (const value of bad) expect(rules.check(value), JSON.stringify(value)).not.to.deep.equal([]);
    });
  }

  it('splits rules outside regular expressions only', () => {
    expect(splitRules('required|regex:/^(a|b|\\/)$/i|max:20')).to.deep.equal([
      'required',
      'regex:/^(a|b|\\/)$/i',
      'max:20',
    ]);
    expect(splitRules('nullable|regex:([a-z]|x)')).to.deep.equal(['nullable', 'regex:([a-z]|x)']);
    expect(splitRules('regex:((a)|b)|max:3')).to.deep.equal(['regex:((a)|b)', 'max:3']);
    expect(splitRules('regex:{^a{1,2}|b$}i|max:3')).to.deep.equal(['regex:{^a{1,2}|b$}i', 'max:3']);
    expect(splitRules('regex:|x')).to.deep.equal(['regex:', 'x']);
    expect(splitRules('')).to.deep.equal([]);
  });

  it('reports unknown rules and does not apply them', () => {
    const rules = compileRules(['string', 'exists:users,id', '__proto__:1', 'constructor']);
    expect(rules.unknown).to.deep.equal(['exists', '__proto__', 'constructor']);
    expect(rules.check('anything')).to.deep.equal([]);
  });

  it('reports rules that cannot be evaluated', () => {
    for (const rule of ['regex:/(?=a)/', 'regex:/(/', 'regex:abc', 'regex:/a/e', 'max:', 'between:1', 'digits:x']) {
      expect(compileRules([rule]).broken, rule).to.have.length(1);
    }
  });

  it('evaluates malicious expressions in linear time', () => {
    const rules = compileRules(['regex:/^(a+)+$/', 'regex:/^(([a-z])+.)+[A-Z]([a-z])+$/']);
    const started = processorMs();
    expect(rules.check(`${'a'.repeat(50_000)}!`)).to.have.length(2);
    expect(processorMs() - started).to.be.below(2_000);
  });
});
