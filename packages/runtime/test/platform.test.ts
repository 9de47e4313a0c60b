import { expect } from 'chai';
import { platformText, runsOn } from '../src/docker/platform.js';

const of = (text: string) => {
  const [os = '', architecture = '', variant = ''] = text.split('/');
  return { os, architecture, variant };
};

describe('platforms of images', () => {
  const cases: [image: string, node: string, emulated: string[], runs: boolean][] = [
    ['linux/amd64', 'linux/amd64', [], true],
    ['linux/arm64/v8', 'linux/arm64', [], true],
    ['linux/386', 'linux/amd64', [], true],
    ['linux/arm/v7', 'linux/arm64', [], true],
    ['linux/arm64', 'linux/amd64', [], false],
    ['linux/amd64', 'linux/arm64', [], false],
    ['linux/amd64', 'linux/386', [], false],
    ['windows/amd64', 'linux/amd64', [], false],
    ['linux/arm64/v8', 'linux/amd64', ['linux/arm64'], true],
    ['linux/arm/v7', 'linux/amd64', ['linux/arm/v7'], true],
    ['linux/arm/v6', 'linux/amd64', ['linux/arm/v7'], false],
    ['linux/riscv64', 'linux/amd64', ['linux/arm64'], false],
    ['linux', 'linux/amd64', [], true],
    ['linux/arm64', '', [], true],
  ];
  for (const [image, node, emulated, runs] of cases) {
    const beside = emulated.length === 0 ? '' : ` that emulates ${emulated.join()}`;
    it(`${runs ? 'runs' : 'refuses'} an image of ${image} on a node of ${node || 'no name'}${beside}`, () => {
      expect(runsOn(of(image), of(node), emulated)).to.equal(runs);
    });
  }

  it('names a platform with its variant', () => {
    expect([of('linux/arm64'), of('linux/arm/v7')].map(platformText)).to.deep.equal(['linux/arm64', 'linux/arm/v7']);
  });
});
