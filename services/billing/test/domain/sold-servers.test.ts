import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { configProblems } from '../../src/domain/check-item-config.js';
import { checkProduct, type ProductFields } from '../../src/domain/check-product.js';

const controls = ['\0', '\n', '\u001b', '\u0085', '\u009b', '\u2028'];

const server = {
  eggId: '3f1c2f0e-6f5b-4b7e-8a53-1d9ac8d8a111',
  memoryMb: 512,
  cpuPercent: 0,
  diskMb: 0,
  swapMb: 0,
  ioWeight: 500,
  databasesLimit: 0,
  backupsLimit: 0,
  allocationsLimit: 0,
  nodeTags: [],
  environment: {},
  dockerImage: null,
};

function refused(fields: Partial<ProductFields>): string[] {
  try {
    checkProduct(fields, 'EUR');
    return [];
  } catch (error) {
    if (!isAppError(error, 'INVALID_FIELDS')) throw error;
    return Object.keys((error.metadata as { fields: object }).fields);
  }
}

describe('what a sold server is called and told', () => {
  it('follows the rules of servers for the name', () => {
    for (const serverName of [...controls.map((one) => `a${one}b`), 'a\u202eb', '   ', 'a'.repeat(192)])
      expect(configProblems({ serverName, environment: {} }), JSON.stringify(serverName)).to.have.key(
        'config.server_name',
      );
    for (const serverName of ['', 'Survival', '生存'])
      expect(configProblems({ serverName, environment: {} })).to.be.empty;
  });

  it('follows the rules of servers for variables', () => {
    for (const control of controls)
      expect(configProblems({ serverName: '', environment: { MOTD: `a${control}b` } })).to.have.key(
        'config.environment',
      );
    expect(configProblems({ serverName: '', environment: { MOTD: 'a\tb §a' } })).to.be.empty;
  });

  it('holds for the name of a product, which a server gets when its buyer gives none', () => {
    for (const control of controls) expect(refused({ name: `a${control}b` })).to.deep.equal(['name']);
    expect(refused({ name: 'a\u202eb' })).to.deep.equal(['name']);
    expect(refused({ name: 'Small' })).to.deep.equal([]);
  });

  it('holds for the variables of a product', () => {
    const withValue = (value: string) => refused({ server: { ...server, environment: { MOTD: value } } });
    expect(withValue('fine')).to.deep.equal([]);
    for (const control of controls) expect(withValue(`a${control}b`)).to.deep.equal(['server.environment.MOTD']);
  });

  it('holds for the image and the processors of a product', () => {
    const withImage = (dockerImage: string) => refused({ server: { ...server, dockerImage } });
    for (const image of ['debian:12', 'ghcr.io/owner/image:tag', '~own:1']) expect(withImage(image)).to.deep.equal([]);
    for (const image of ['Debian', 'a b', 'a:', '$(id)', 'http://x/y'])
      expect(withImage(image), image).to.deep.equal(['server.docker_image']);
    expect(refused({ server: { ...server, cpuPercent: 100_000 } })).to.deep.equal([]);
    expect(refused({ server: { ...server, cpuPercent: 100_001 } })).to.deep.equal(['server.cpu']);
  });
});
