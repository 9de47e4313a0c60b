import { expect } from 'chai';
import { InstallOutput } from '../../src/ws/install-output.js';

describe('installation output', () => {
  const feed = (output: InstallOutput, ...texts: string[]) =>
    texts.filter((text) => {
      if (output.hasSeen({ text, step: 's' })) return false;
      output.add({ text, step: 's' }, Buffer.from(text));
      return true;
    });

  it('drops installation output that is sent again from the beginning', () => {
    const output = new InstallOutput();
    expect(feed(output, 'a', 'b', 'b', 'c')).to.have.length(4);
    output.resume();
    expect(feed(output, 'a', 'b', 'b', 'c', 'd', 'a')).to.deep.equal(['d', 'a']);
    expect(output.frames().map(String)).to.deep.equal(['a', 'b', 'b', 'c', 'd', 'a']);
  });

  it('drops installation output of which only the end is sent again', () => {
    const output = new InstallOutput();
    feed(output, 'a', 'b', 'c');
    output.resume();
    expect(feed(output, 'b', 'c', 'd')).to.deep.equal(['d']);
  });

  it('starts again with another installation', () => {
    const output = new InstallOutput();
    feed(output, 'a');
    output.clear();
    output.resume();
    expect(feed(output, 'a')).to.deep.equal(['a']);
  });
});
