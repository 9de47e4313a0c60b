import { expect } from 'chai';
import { loadCommonPasswords } from '../../src/crypto/common-passwords.js';
import { weakness } from '../../src/domain/password-strength.js';

describe('weakness of a password', () => {
  const common = loadCommonPasswords();
  const owner = { email: 'ada.lovelace@example.org', username: 'enchantress', firstName: 'Ada', lastName: 'Lovelace' };

  for (const password of [
    '1234567890',
    'qwertyuiop',
    'Password123',
    'password1!',
    '123password',
    'PASSWORD2026',
    'unbelievable',
    'Password123456',
    '123456-letmein',
  ])
    it(`refuses the common password ${password}`, () => {
      expect(weakness(password, owner, common)).to.include('common');
    });

  for (const password of ['aaaaaaaaaaaa', 'abababababab'])
    it(`refuses ${password} for its repetitions`, () => {
      expect(weakness(password, owner, common)).to.be.a('string');
    });

  for (const password of ['ada.lovelace@example.org', 'Ada.Lovelace1', 'enchantress99', 'enchantress lovelace'])
    it(`refuses ${password}, which is made of its owner's name`, () => {
      expect(weakness(password, owner, common)).to.include('your name');
    });

  for (const password of [
    'correct horse battery',
    'a long walk by lovelace lake',
    'x7#kP2!mQ9z',
    'пароль из слов и чисел 17',
  ])
    it(`accepts ${password}`, () => {
      expect(weakness(password, owner, common)).to.equal(null);
    });
});
