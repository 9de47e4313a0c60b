import { randomBytes, randomUUID } from 'node:crypto';
import { accessTokenClaims, createTokenKey } from '@panel/rpc';
import type { Logger, RunningProcess } from '@panel/kit/process';
import type { GatewayConfig } from '../../src/config.js';
import { startGateway } from '../../src/gateway.js';
import { serviceSecret, silent } from './fake-service.js';
import type { TestUser, Fixture } from './fixture.js';
import jwt from 'jsonwebtoken';

export const jwtSecret = 'test-jwt-secret-0123456789abcdefghij';
const tokenKey = createTokenKey(jwtSecret);

export interface TestGateway {
  readonly url: string;
  readonly running: RunningProcess;
}

export function configFor(fixture: Fixture, change: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    logLevel: 'silent',
    metricsListen: '127.0.0.1:0',
    serviceSecret,
    tls: null,
    transport: 'multiplexed',
    testClock: false,
    tracing: null,
    host: '127.0.0.1',
    port: 0,
    jwtSecret,
    keyPrefix: 'gsp',
    redisUrl: null,
    redisPrefix: `test-${randomBytes(6).toString('hex')}`,
    workers: 1,
    replicas: 1,
    countryHeader: '',
    trustedProxies: [],
    webConsole: false,
    maxUploadBytes: 8 * 1024 * 1024,
    maxBodyBytesInFlight: 64 * 1024 * 1024,
    consoleRecheckGraceMs: 60_000,
    checkResponses: true,
    corsOrigins: ['https://panel.example.com'],
    connections: { total: 10_000, perAddress: 10_000 },
    rateLimits: { general: 1000, auth: 1000, upload: 1000, backup: 1000 },
    nodeLocalAddresses: 'loopback',
    services: fixture.addresses,
    ...change,
  };
}

export async function gatewayFor(
  fixture: Fixture,
  change: Partial<GatewayConfig> = {},
  log: Logger = silent,
): Promise<TestGateway> {
  const running = await startGateway(configFor(fixture, change), { log });
  return { url: `http://${running.addresses.listen}`, running };
}

/** Session and access token at the fake identity. */
export function signIn(fixture: Fixture, user: TestUser, lifeSeconds = 900): { token: string; sessionId: string } {
  const sessionId = randomUUID();
  fixture.sessions.set(sessionId, user);
  return { sessionId, token: accessToken(user.userId, sessionId, lifeSeconds) };
}

export function accessToken(userId: string, sessionId: string, lifeSeconds = 900, claims: object = {}): string {
  const payload = { ...accessTokenClaims, sub: userId, sid: sessionId, jti: randomUUID(), ...claims };
  return jwt.sign(payload, tokenKey, { algorithm: 'HS256', expiresIn: lifeSeconds });
}

export function giveKey(fixture: Fixture, user: TestUser, allowedIps: string[] = []): string {
  const key = `gsp_${randomBytes(40).toString('hex').slice(0, 43)}`;
  fixture.keys.set(key, { user, id: randomUUID(), allowedIps });
  return key;
}
