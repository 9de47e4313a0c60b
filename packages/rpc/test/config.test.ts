import { ConfigError, parseEnvironment } from '@panel/kit/process';
import { expect } from 'chai';
import { commonConfig, serviceVariables } from '../src/index.js';

describe('configuration of a gRPC process', () => {
  it('rejects a certificate without its key and authority', () => {
    const parsed = parseEnvironment(
      { SERVICE_SECRET: 'x9K2mQ7vB4nL8pR1tY6wZ3cF5hJ0dG2s', MONGO_URL: 'mongodb://h/db', GRPC_TLS_CERT: 'a' },
      serviceVariables,
    );
    expect(() => commonConfig(parsed)).to.throw(ConfigError, 'GRPC_TLS_CERT');
  });
});
