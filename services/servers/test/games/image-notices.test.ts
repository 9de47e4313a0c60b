import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import { imageNotices } from '../../src/games/image-notices.js';

describe('what the console says of an image', () => {
  it('names the image of the node instead of the reason why none was pulled', () => {
    const lines: string[] = [];
    const hub = { find: () => ({ notice: (text: string) => lines.push(text) }) };
    const log = createLogger({ service: 'test', level: 'silent' });
    const onProgress = imageNotices({ hub: hub as never, log }, { id: 's' });
    onProgress('pull_image', 'example.com/game:1');
    onProgress('pull_image', 'example.com/game:1');
    onProgress('use_local_image', 'example.com/game:1', 'lookup example.com on 127.0.0.53:53: no such host');
    onProgress('create_container', 's');
    expect(lines).to.deep.equal([
      'pulling the image example.com/game:1',
      'using the image of this node: example.com/game:1',
    ]);
  });
});
