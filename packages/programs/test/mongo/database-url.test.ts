import { expect } from 'chai';
import { databaseUrl, withoutPassword } from '../../src/mongo/database-url.js';

describe('databaseUrl', () => {
  const cases: readonly [base: string, expected: string][] = [
    ['mongodb://h:1', 'mongodb://h:1/identity'],
    ['mongodb://h:1/', 'mongodb://h:1/identity'],
    ['mongodb://h:1/?w=1&journal=true', 'mongodb://h:1/identity?w=1&journal=true'],
    ['mongodb://a:1,b:2,c:3/?replicaSet=rs', 'mongodb://a:1,b:2,c:3/identity?replicaSet=rs'],
    ['mongodb+srv://cluster.example/', 'mongodb+srv://cluster.example/identity'],
    ['mongodb://h/eu', 'mongodb://h/eu_identity'],
    ['mongodb://u:p@h', 'mongodb://u:p@h/identity?authSource=admin'],
    ['mongodb://u:p@h/admin?w=1', 'mongodb://u:p@h/identity?w=1&authSource=admin'],
    ['mongodb://u:p@h/eu', 'mongodb://u:p@h/eu_identity?authSource=eu'],
    ['mongodb://u:p@h/?authSource=people', 'mongodb://u:p@h/identity?authSource=people'],
    ['mongodb://u@h/?authMechanism=MONGODB-X509', 'mongodb://u@h/identity?authMechanism=MONGODB-X509'],
  ];
  for (const [base, expected] of cases) {
    it(`turns ${base} into ${expected}`, () => {
      expect(databaseUrl(base, 'identity')).to.equal(expected);
    });
  }

  for (const bad of ['', 'localhost:27017', 'http://h/', 'mongodb://', 'postgres://h/db']) {
    it(`refuses '${bad}'`, () => {
      expect(() => databaseUrl(bad, 'identity')).to.throw('not a MongoDB URL');
    });
  }

  it('hides the password in logs', () => {
    expect(withoutPassword('mongodb://u:p%40ss@h/')).to.equal('mongodb://u:***@h/');
    expect(withoutPassword('mongodb://h:1/')).to.equal('mongodb://h:1/');
  });
});
