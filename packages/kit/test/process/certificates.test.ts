import { expect } from 'chai';
import { certificateEnd, createMetrics, measureCertificates } from '../../src/process/index.js';

const early = {
  end: new Date('2036-11-24T19:43:13Z'),
  pem: `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUZ1s7frUhFk9GE9aqKlbv866a//cwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFcGFuZWwwHhcNMjYxMTI3MTk0MzEzWhcNMzYxMTI0MTk0MzEz
WjAQMQ4wDAYDVQQDDAVwYW5lbDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDUQ
iuHTnvtQa0gnfIFohsuCY0eLQHK2ex76OdEbYzwRurDcjGiH4sTaRG9lBWmS03xf
rqux8Igt8M+glYGEHNKjUzBRMB0GA1UdDgQWBBTr9gbtz10Brf+83rYTMiX0y2hq
QDAfBgNVHSMEGDAWgBTr9gbtz10Brf+83rYTMiX0y2hqQDAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCIGUFOpqo0QgYwS2gZY5PnBBAccYd2IqR6WcT
n90GSiv3AiAmdRGjKnI6XQOAO5F6/wFJF+xDe6lPxWY2ZjoRoUqybg==
-----END CERTIFICATE-----`,
};
const late = {
  end: new Date('2046-11-22T19:43:14Z'),
  pem: `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUMfvqb4DYj2ldhFP9tc6xIxkqP4kwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFcGFuZWwwHhcNMjYxMTI3MTk0MzE0WhcNNDYxMTIyMTk0MzE0
WjAQMQ4wDAYDVQQDDAVwYW5lbDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLtp
MXyiQn9ftpwcRDcIaRPbbZgDe/WxdKRPCCVLLG7FsXgMOHYfu8+wGscudFOjMDBj
++j96buwYyxkiYls1WejUzBRMB0GA1UdDgQWBBRAmw/ep9xu9IVUOxHUjt6SGYax
oDAfBgNVHSMEGDAWgBRAmw/ep9xu9IVUOxHUjt6SGYaxoDAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCIDE4L7PhrI08xKoZRlhJ/+hq14dl2gRPw68w
/F/kZ4N4AiBTvaWjSbLGeBobsVHjubplEMQBFF9OEVgw73rSQCfN2A==
-----END CERTIFICATE-----`,
};

describe('ends of certificates', () => {
  it('takes the earliest end of a chain', () => {
    expect(certificateEnd(late.pem)).to.deep.equal(late.end);
    expect(certificateEnd(`${late.pem}\n${early.pem}\n`)).to.deep.equal(early.end);
  });

  it('knows no end of a text without a certificate that can be read', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    for (const text of ['', 'a key', broken]) expect(certificateEnd(text), text).to.equal(null);
  });

  it('shows each certificate under the name of its variable', async () => {
    const metrics = createMetrics('test');
    measureCertificates(metrics, { GRPC_TLS_CERT: early.pem, GRPC_TLS_CA: 'none' });
    measureCertificates(metrics, { DIRECT_TLS_CERT: Buffer.from(late.pem) });
    const { values = [] } = (await metrics.registry.getSingleMetric('certificate_end_timestamp_seconds')?.get()) ?? {};
    expect(values.map(({ labels, value }) => [labels['certificate'], value * 1_000])).to.deep.equal([
      ['GRPC_TLS_CERT', early.end.getTime()],
      ['DIRECT_TLS_CERT', late.end.getTime()],
    ]);
  });
});

describe('version', () => {
  it('shows the version in the metrics of every process', async () => {
    const text = await createMetrics('test').registry.metrics();
    expect(text).to.match(/^panel_build_info\{version="\d+\.\d+\.\d+[^"]*",service="test"\} 1$/m);
  });
});
