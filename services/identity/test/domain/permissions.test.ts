import { expect } from 'chai';
import {
  excessPermissions,
  intersectPermissions,
  keyPermissions,
  rolePermissions,
} from '../../src/domain/permissions.js';

describe('permissions', () => {
  const meetings: [string[], string[], string[]][] = [
    [['*'], ['servers.view'], ['servers.view']],
    [['servers.*'], ['*'], ['servers.*']],
    [
      ['servers.*', 'users.view'],
      ['servers.view', 'users.*'],
      ['servers.view', 'users.view'],
    ],
    [['servers.view'], ['servers.update'], []],
    [['servers.*'], [], []],
    [[], ['*'], []],
    [['*'], ['*'], ['*']],
    [['servers.view'], ['servers.view'], ['servers.view']],
  ];
  for (const [left, right, both] of meetings) {
    it(`intersects [${left.join()}] and [${right.join()}] in [${both.join()}], in either order`, () => {
      expect(intersectPermissions(left, right)).to.deep.equal(both);
      expect(intersectPermissions(right, left)).to.deep.equal(both);
    });
  }

  it('does not treat single verbs of an area as the whole area', () => {
    expect(
      excessPermissions(['nodes.view', 'servers.*'], ['nodes.view', 'nodes.*', 'servers.view', '*']),
    ).to.deep.equal(['nodes.*', '*']);
  });

  it('knows exactly the documented names', () => {
    expect(rolePermissions.size).to.equal(1 + 9 + 38);
    for (const name of ['eggs.import', 'settings.*', 'servers.transfer']) expect(rolePermissions).to.include(name);
    for (const name of ['', '.', 'servers', 'servers.', 'servers.fly', '__proto__', 'constructor'])
      expect(rolePermissions).to.not.include(name);
  });

  it('lets the list of a key name permissions of servers and of the account', () => {
    for (const name of ['eggs.import', 'file.*', 'control.start', 'account.api-keys', 'account.*', '*'])
      expect(keyPermissions).to.include(name);
    for (const name of ['file', 'account.fly', '']) expect(keyPermissions).to.not.include(name);
    expect(rolePermissions).to.not.include('control.start');
  });
});
