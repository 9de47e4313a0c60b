import { isAppError } from '@panel/kit';
import { expect } from 'chai';
import { SocketSlots } from '../../src/ws/slots.js';

describe('places for sockets', () => {
  const isRefused = (take: () => unknown) => {
    try {
      take();
      return false;
    } catch (error) {
      return isAppError(error, 'TOO_MANY_SOCKETS');
    }
  };

  it('are bounded per server and per user, and given back once', () => {
    const slots = new SocketSlots({ perServer: 2, perUser: 2 });
    const release = slots.take('s1', 'u1');
    slots.take('s1', 'u2');
    expect(isRefused(() => slots.take('s1', 'u3'))).to.equal(true);
    slots.take('s2', 'u1');
    expect(isRefused(() => slots.take('s3', 'u1'))).to.equal(true);
    release();
    release();
    slots.take('s1', 'u3');
    expect(isRefused(() => slots.take('s1', 'u4'))).to.equal(true);
  });
});
