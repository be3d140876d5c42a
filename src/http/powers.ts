/** Powers: what providers may need for payments and identity checks; each page hands on what the next one needs. */

export const POWERS = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-write',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'microphone',
  'payment',
  'publickey-credentials-get',
];
