import { expect } from 'chai';
import { asAttachment } from '@panel/kit/http';

describe('download file name', () => {
  it('preserves quotes, line breaks and letters of any script', () => {
    expect(asAttachment('a.txt')).to.equal(`attachment; filename="a.txt"; filename*=UTF-8''a.txt`);
    const malicious = asAttachment('a"b\r\nSet-Cookie: x=y\\%00.txt');
    expect(malicious).not.to.match(/[\r\n]/);
    expect(malicious.match(/filename="([^"]*)"/)?.[1]).to.equal('a_b__Set-Cookie: x=y__00.txt');
    expect(asAttachment('grüße.txt')).to.contain(`filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`);
    expect(asAttachment('half \ud800 pair')).to.be.a('string');
  });
});
