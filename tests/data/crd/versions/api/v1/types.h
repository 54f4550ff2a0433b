/**
 * +groupName=data.example.com
 */

#pragma once

#include <optional>
#include <string>

#include "keelson/api/meta/v1.h"
#include "keelson/api/quantity.h"

namespace versions::v1 {

/**
 * Engine by name and release.
 */
struct Engine {
  /**
   * Name of the engine.
   * +kubebuilder:validation:Enum=mysql;postgres
   */
  std::string name;
  /**
   * Release of the engine.
   * +optional
   */
  std::string release;
};

/**
 * DatabaseSpec is how it stays.
 */
struct DatabaseSpec {
  /**
   * Engine that runs it, now with a release.
   */
  Engine engine;
  /**
   * Storage it has.
   * +required
   */
  std::optional<keelson::Quantity> storage;
};

/**
 * DatabaseStatus tells how it goes.
 */
struct DatabaseStatus {
  /**
   * Ready to be used.
   */
  bool ready = false;
};

/**
 * Database for everybody.
 * +kubebuilder:object:root=true
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:resource:path=databases,shortName=db,categories=data
 * +kubebuilder:printcolumn:name=Engine,type=string,JSONPath=.spec.engine.name
 * +kubebuilder:printcolumn:name=Ready,type=boolean,JSONPath=.status.ready
 * +kubebuilder:selectablefield:JSONPath=.spec.engine.name
 */
struct Database {
  keelson::metav1::ObjectMeta metadata;

  DatabaseSpec spec;
  DatabaseStatus status;
};

/**
 * BackupSpec is a copy of a database, at a time.
 */
struct BackupSpec {
  /**
   * Database that is copied.
   */
  std::string database;
  /**
   * At this time.
   */
  std::optional<keelson::metav1::Time> at;
};

/**
 * Backup of a database.
 * +kubebuilder:object:root=true
 */
struct Backup {
  keelson::metav1::ObjectMeta metadata;

  BackupSpec spec;
};

/**
 * RestoreSpec brings a backup back.
 */
struct RestoreSpec {
  /**
   * Backup that is brought back.
   */
  std::string backup;
  /**
   * Into this database.
   */
  Engine into;
};

/**
 * Restore of a backup.
 * +kubebuilder:object:root=true
 */
struct Restore {
  keelson::metav1::ObjectMeta metadata;

  RestoreSpec spec;
};

}  // namespace versions::v1
