import { randomUUID } from 'node:crypto';
import {
  type ExchangeUploadRequest,
  type ExchangeUploadRequest_Start,
  type ExchangeUploadResponse,
  Upload,
} from '@panel/protos/files';

/** Takes every resumable upload. */
export class FakeUploads {
  /** Of the exchanges, in order. */
  readonly starts: ExchangeUploadRequest_Start[] = [];

  readonly exchange = async (requests: AsyncIterable<ExchangeUploadRequest>): Promise<ExchangeUploadResponse> => {
    let prefix = '';
    for await (const { part } of requests) {
      if (part?.$case !== 'start') continue;
      this.starts.push(part.value);
      prefix = part.value.locationPrefix;
    }
    const upload = Upload.create({ uploadId: randomUUID(), createTime: new Date(), expireTime: new Date() });
    const headers = { location: `${prefix}${upload.uploadId}`, 'tus-resumable': '1.0.0' };
    return { status: 201, headers, upload };
  };
}
