import { expect } from 'chai';
import { bucketDestination, repositoryDestination } from '../../src/backups/storage/destinations.js';

describe('backup destinations', () => {
  for (const [repository, destination] of [
    ['rest:https://user:secret@backups.example.com/panel/', 'rest:https://backups.example.com/panel'],
    ['rest:https://user:s@cr@t@backups.example.com:8000/panel', 'rest:https://backups.example.com:8000/panel'],
    ['rest:https://backups.example.com/panel@home', 'rest:https://backups.example.com/panel@home'],
    ['s3:https://s3.example.com/bucket/panel', 's3:https://s3.example.com/bucket/panel'],
  ] as const) {
    it(`names ${repository} without credentials`, async () => {
      expect(await repositoryDestination(repository)).to.equal(destination);
    });
  }

  it('tells buckets of one name by their endpoint, not by the way to it', () => {
    const place = { bucket: 'backups', prefix: 'panel/' };
    expect(bucketDestination({ ...place, endpoint: 'https://s3.example.com' })).to.equal(
      bucketDestination({ ...place, endpoint: 'http://s3.example.com/' }),
    );
    expect(bucketDestination({ ...place, endpoint: undefined })).to.equal('s3:backups/panel');
  });
});
