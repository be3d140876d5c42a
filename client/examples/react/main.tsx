/** The smallest page around the component: its element says where the service is, whose key is used and where coins go. */
import { createClient } from '@cloverleaf/client';
import { createRoot } from 'react-dom/client';
import { BuyCrypto } from './BuyCrypto.tsx';

const place = document.getElementById('buy');
if (!place) throw new Error('the page has no place for it');
const { service = '', key, wallet = '' } = place.dataset;
const client = createClient({ url: service, key });
createRoot(place).render(
  <BuyCrypto client={client} wallet={wallet} country="de" onCheckout={url => location.assign(url)} />,
);
