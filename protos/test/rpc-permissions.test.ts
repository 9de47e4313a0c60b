import { expect } from 'chai';
import * as admin from '../src/admin.js';
import * as billing from '../src/billing.js';
import * as common from '../src/common.js';
import * as files from '../src/files.js';
import * as identity from '../src/identity.js';
import {
  accountPermissions,
  adminPermissions,
  findRpcPermission,
  rpcPermissions,
  type RpcPermission,
  serverPermissions,
} from '../src/permissions.js';
import * as servers from '../src/servers.js';

function pathsOf(module: Record<string, unknown>): string[] {
  return Object.entries(module)
    .filter(([name]) => name.endsWith('ServiceService'))
    .flatMap(([, definition]) => Object.values(definition as Record<string, { path: string }>).map(({ path }) => path));
}

const generated = [admin, billing, common, files, identity, servers].flatMap((module) => pathsOf({ ...module }));
const rows: readonly (readonly [string, RpcPermission])[] = Object.entries(rpcPermissions).flatMap(
  ([service, methods]) => Object.entries(methods).map(([method, row]) => [`/${service}/${method}`, row] as const),
);

describe('the table of RPC permissions', () => {
  it('finds the RPCs of all services', () => {
    expect(generated.length).to.be.greaterThan(80);
  });

  for (const path of generated) {
    it(`lists a row for ${path}`, () => {
      expect(findRpcPermission(path)).to.be.an('object');
    });
  }

  it('lists no row for an RPC that does not exist', () => {
    expect(rows.map(([path]) => path).filter((path) => !generated.includes(path))).to.deep.equal([]);
  });

  it('names only permissions that exist', () => {
    const known: readonly string[] = [...accountPermissions, ...adminPermissions, ...serverPermissions];
    const named = rows.flatMap(([, { account, admin: role, server = [], grant }]) =>
      [account, role, grant, ...server].filter((name) => name !== undefined),
    );
    expect(named.filter((name) => !known.includes(name))).to.deep.equal([]);
  });

  it('gives no RPC a public row beside a restriction', () => {
    const mixed = rows.filter(([, row]) => row.isPublic && Object.keys(row).length > 1);
    expect(mixed).to.deep.equal([]);
  });
});
