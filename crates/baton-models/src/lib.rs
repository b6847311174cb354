//! Models behind one trait; the playbook model.
