/** An instance of the version to come: this one, and more steps of the schema. */
import './steps.ts';
import '../bed/instance.ts';
