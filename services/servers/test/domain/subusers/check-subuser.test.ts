import { expect } from 'chai';
import { SubuserFields } from '../../../src/domain/subusers/check-subuser.js';

describe('e-mail address of an invitation', () => {
  const read = (text: string) => {
    const fields = new SubuserFields();
    const email = fields.email(text);
    return Object.keys(fields.fields).length === 0 ? email : null;
  };

  it('normalises an address as identity stores it', () => {
    expect(read(' Ada@Example.com ')).to.equal('ada@example.com');
    expect(read('ada@müller.example')).to.equal('ada@xn--mller-kva.example');
    expect(read('ada@XN--MLLER-KVA.example')).to.equal('ada@xn--mller-kva.example');
    expect(read('ада@example.com')).to.equal('ада@example.com');
  });

  it('refuses an address that is none, or one that no mail is sent to', () => {
    for (const text of ['', 'ada', 'müller', 'é'.repeat(95), '@', 'ada@', '@example.com', 'a@b@c', 'a b@example.com'])
      expect(read(text), text).to.equal(null);
    expect(read(`${'a'.repeat(64)}@example.com`)).not.to.equal(null);
    expect(read(`${'a'.repeat(65)}@example.com`)).to.equal(null);
    expect(read('a@xn--ü')).to.equal(null);
  });
});
